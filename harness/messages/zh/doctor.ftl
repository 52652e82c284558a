### 环境诊断（doctor）的中文文字：页面，以及与Runtime无关的诊断项。

## 页面

severity-note = 提示
severity-warning = 告警
severity-unclear = 不确定
severity-blocker = 阻断
certainty-system = 操作系统
certainty-code = 源代码
certainty-document = 厂商文档
certainty-field = 现场反馈
certainty-inferred = 推断
cannot-run = 本机无法运行本套件：{ $why }{ more-reasons }
may-not-run = 不确定本机能否运行本套件：{ $why }{ more-reasons }
more-reasons = { $more ->
    [0] { "" }
   *[other] （另有{ $more }个原因）
}
can-run = 本机可以运行本套件：已打开并使用了一个设备
seems-able-to-run = 本机应可运行本套件；加上--probe还会打开一个设备
label-next = 建议
label-rests-on = 依据
heading-devices = 设备
heading-versions = 版本
heading-looked-at = 检查过的位置
device-memory = 已用{ $used }/{ $total } MiB
device-users = 使用者：{ $users }
cut-text = { $text }…（共{ $bytes }字节）
devices-are-counted = 尽管如此，库仍报告了设备数量
device-was-used = 尽管如此，仍成功打开并使用了一个设备
found = 已找到
not-found = 未找到
not-found-in = { $folder }：未找到

## 库

look-library = 库
look-further-library = 其他库
look-loading = 加载库
look-python = Python解释器
look-module = Python模块
none-found = { $names }均未找到
further-library-not-found = 未找到；跳过需要它的规则
library-unusable = 无法使用Runtime的库{ $path }
library-missing = 未找到Runtime的任何库：{ $names }
library-install = 安装Runtime的库
library-install-again = 重新安装Runtime的软件包
library-missing-next = { $advice }，或用--library PATH指定库
library-simulated = { $path }是本套件的模拟设备，不是真实设备的库
library-simulated-next = 用--library PATH指定真实设备的库，或从LD_LIBRARY_PATH中去掉模拟的库
library-dependency-missing = { $path }依赖{ $missing }，但加载器搜索的目录中都没有它
library-dependency-missing-next = 找到{ $missing }，把所在目录加入LD_LIBRARY_PATH，或者{ $advice }
library-not-loadable = 加载器拒绝加载{ $path }
library-not-loadable-next = 核对该库的版本和架构与驱动及本系统是否一致，安装配套的软件包
library-hangs = 加载{ $path }超时
library-hangs-next = 查看内核日志；若驱动无响应，请联系本机管理员
library-crashes = 加载{ $path }导致进程崩溃（{ $end }）
library-crashes-next = 重新安装该库所在的软件包；若仍崩溃，请把`atlas-cts doctor`的输出发给厂商
python-unusable = 无法通过Python调用
python-functions = { $all }个函数中有{ $offered }个
python-lacks = { $module }缺少目录所列的{ $count }个函数
python-lacks-next = 调用这些函数的规则被阻塞；较新的模块可能提供它们，或者目录中的名称不同
python-not-imported = 无法导入Python模块{ $module }
python-not-imported-next = 把PYTHONPATH设为模块所在目录（Runtime的脚本可能会设置它）
library-rests-on = 动态加载器的消息，来自单独的进程

## 产品

look-rules = 预计执行的规则
rules-apply = { $all }条规则中有{ $count }条适用
product-contradicts = 设备属于产品系列{ $recognized }，而--product为{ $given }
product-contradicts-next = 去掉--product，或改为--product { $recognized }

## 报告所需空间

look-space = 报告所需空间
space-free = 剩余{ $mebibytes } MiB
reports-not-writable = 无法把报告写入{ $folder }：{ $error }
reports-no-space = { $folder }中没有写报告的空间：{ space-free }
reports-little-space = { $folder }中写报告的空间不足：{ space-free }
reports-next = 用--report-dir DIR指定其他目录，或释放空间

## 探测

look-probe = 探测
look-product-of-probe = 探测得到的产品
rules-pass = { $all }条规则中有{ $passed }条通过；{ $end }
probe-impossible-library = 未执行探测：没有可加载的库
probe-impossible-library-next = 请先按其他诊断项的建议处理
probe-impossible-folder = 未执行探测：{ $error }
probe-impossible-folder-next = 把TMPDIR设为可写的目录
probe-hangs = 探测超时
probe-failed = 本套件无法使用设备：{ $result }
probe-next = 若上面的诊断项给出了原因，请按其建议处理；否则用`atlas-cts run`单独运行这些规则并保留报告
probe-rests-on = 本套件自己的工作进程：它设置并使用了设备
