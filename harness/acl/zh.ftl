### AscendCL环境诊断的中文文字。语法：https://projectfluent.org
###
### 每个诊断项的标题以其标识命名，另有建议和现象的文字。
###
### 不在此处：文件、函数和选项的名称，引用，以及运行也会写入记录的文字（设备状态、错误码含义、npu-smi和管理库诊断项的标题）。

## 环境

look-environment = Toolkit的环境变量
look-logs = Runtime的日志
not-set = 未设置
environment-stale = { $name }指向{ $home }，但该目录不存在
environment-stale-next = 在新的shell中执行已安装Toolkit的set_env.sh
environment-not-sourced = Toolkit已安装，但当前shell未执行其环境变量脚本
environment-not-sourced-next = 在启动本套件的shell中执行`source { $script }`，执行时不要启用`set -u`和`pipefail`
logs-on-terminal = 没有文件：日志打印到终端
logs-of-earlier-processes = debug/plog中有先前进程的{ $count }个文件
logs-many = { $folder }/debug/plog中有先前进程的{ $files }个日志文件，且不会自动删除
logs-many-next = 删除旧文件；本套件的每个工作进程都会再增加一个

advice-installation = 安装Toolkit并在启动本套件的shell中执行其set_env.sh
advice-dependency = 执行Toolkit的set_env.sh；驱动的库在其lib64目录中，容器需挂载该目录

## 已安装的组件及其版本

look-install-record = 安装信息
look-install-log = 安装日志
look-driver = 驱动版本
look-firmware = 固件版本
look-toolkit = Toolkit版本
look-runtime = Runtime版本
look-versions = Runtime的各版本
was-read = 已读取
no-version-of = 没有{ $component ->
    [driver] 驱动
    [firmware] 固件
   *[runtime] Runtime
}的版本：{ $code }
no-version-function = 库未导出aclsysGetVersionStr，因此其版本早于8
install-no-record = 缺少安装信息文件/etc/ascend_install.info或驱动的版本文件，因此Runtime无法报告驱动和固件的版本
install-no-record-next = 重新安装驱动：其软件包会写入安装信息
install-no-record-next-in-container = 把/etc/ascend_install.info和<安装路径>/driver/version.info挂载到容器中；厂商的容器运行时不会挂载它们
driver-incomplete = 工具告警：驱动安装不完整
driver-incomplete-next = 重新安装驱动，然后查看其安装日志的末尾
driver-reboot-needed = { $package ->
    [driver] 驱动
   *[firmware] 固件
}安装后，机器尚未重启
driver-reboot-maybe-needed = { $package ->
    [driver] 驱动
   *[firmware] 固件
}的安装时间与上次启动相隔仅数小时，机器可能尚未重启
driver-reboot-needed-next = 重启机器；若在容器中，请主机管理员重启
driver-before-firmware = 上次升级时，驱动先于固件安装
driver-before-firmware-next = 若重启后设备仍无响应，请依次安装固件、重启、安装驱动、重启
versions-differ = 不同来源报告的{ $component ->
    [driver] 驱动
   *[firmware] 固件
}版本不一致：正在运行的版本与已安装的版本
versions-differ-next = 若上次启动后安装过软件包，请重启；若在容器中，请挂载主机的版本文件
versions-differ-rests-on = 运行中的驱动在重新加载之前保持其版本
versions-rejected-by-driver = 驱动自身报告与固件不兼容
versions-rejected-by-driver-next = 安装与驱动包配套的固件，并重启
versions-seen = 驱动{ $driver }，固件{ $firmware }
versions-driver-and-firmware = 驱动{ $driver }与固件{ $firmware }超出了彼此支持的范围
versions-driver-and-firmware-next = 安装同一版本的驱动和固件，并重启；在此之前，设备标识为零，进程间共享内存会失败并返回507899
versions-unreadable = 无法读取{ $component ->
    [driver] 驱动
   *[firmware] 固件
}支持的版本范围
versions-unreadable-next = 请对照厂商的版本说明人工核对驱动和固件
versions-key = { $component ->
    [driver] 驱动
   *[firmware] 固件
}的{ $key }：{ $value }
versions-driver-and-toolkit = Toolkit的分支{ $branch }不在驱动列出的分支之中
versions-driver-and-toolkit-next = 使用配套发布的驱动和Toolkit；当前组合可能只有部分功能可用，运行本套件可看出哪些功能异常
versions-not-published = Toolkit { $toolkit }与驱动{ $driver }不是已发布或已测试的组合
versions-not-published-next = 把两个版本与结果一起记录下来，因为这一组合可能是失败的原因

## 设备节点、硬件和内核

look-nodes = 设备节点
look-hardware = 硬件
look-modules = 内核模块
look-kernel-messages = 内核消息
no-nodes = 无
no-modules = 没有驱动的模块
accelerators = { $count }个该厂商的AI处理器，第一个的ID为{ $first }
no-accelerator = { $count }个PCI设备中没有该厂商的AI处理器
node-exists = { $node }存在
node = { $node }的权限为{ $mode }，用户{ $user }，组{ $group }
node-denied = { node }：{ $error }
nodes-none-in-container = 此容器没有设备：缺少/dev/davinci0等节点
nodes-none-in-container-next = 启动容器时带上设备：使用厂商的容器运行时和ASCEND_VISIBLE_DEVICES、集群的资源请求，或用--device指定/dev/davinci0（及其他）、/dev/davinci_manager、/dev/devmm_svm和/dev/hisi_hdc
driver-missing = 未安装驱动：既没有版本文件，也没有设备节点
driver-missing-next = 安装驱动，再安装固件，然后重启
driver-missing-next-no-hardware = 请确认这是要使用的机器：其PCI总线上没有该厂商的AI处理器；若应当有，请安装驱动，再安装固件，然后重启
driver-module-not-loaded = 驱动已安装，但内核没有加载它的任何模块
driver-module-not-loaded-next = 重启；若无效，则内核已升级：安装内核头文件，再重新安装驱动，以便为当前内核编译模块
nodes-none = 驱动已加载，但没有设备节点
nodes-none-next = 查看内核的启动消息：驱动没有发现可用的设备
nodes-incomplete = 设备节点存在，但缺少每个进程都需要的其他节点：{ $nodes }
nodes-incomplete-next = 加载驱动的模块：重启，或重新安装驱动
nodes-incomplete-next-in-container = 用--device或通过厂商的容器运行时，把它们也传入容器
nodes-no-device = { $node }不是设备：主机上没有该路径，因此容器得到的是一个目录
nodes-no-device-next = 在已加载驱动的主机上启动容器，或去掉该路径
nodes-not-in-group = 当前用户无权打开设备，也不在设备所属的组{ $group }中
nodes-not-in-group-next = 把用户加入该组（`usermod -aG { $group } NAME`）并重新登录；容器用--group-add启动；或以该组的用户运行
nodes-not-granted = 机器上有设备，但此作业的控制组未授权使用
nodes-not-granted-next = 按需要向调度器申请设备，或只使用已授权的设备：Runtime会自行给设备编号
nodes-sandbox = 权限位允许打开设备，但沙箱禁止
nodes-sandbox-next = 在沙箱（受限shell、用户命名空间、安全策略、不允许设备的挂载）之外运行，或在其规则中允许/dev/davinci*
kernel-heartbeat-lost = 内核报告系统启动以来有设备丢失过心跳
kernel-heartbeat-lost-next = 用--probe运行，看设备现在是否可用；否则请复位设备或重启机器

## 厂商的工具和管理库

look-tool = 厂商的工具
look-management-library = 管理库
tool-not-found = 未找到；缺少健康状态和内存数据
library-answered = 返回了{ $count }个芯片的信息
tool-hangs-next = 若正在复位或升级，请等待其结束；否则是驱动或设备卡住：请管理员查看内核消息，然后复位设备或重启
tool-hangs-on-query-next = 查询时卡住的设备在使用时也会卡住：请用--probe运行，并请管理员查看内核消息
tool-fails-next = 手动运行该工具，并按其消息处理；没有该工具就无法得知健康状态和内存使用情况
tool-lists-nothing-next = 查看该工具的输出；若其中列出了设备，请反馈该输出，因为本套件不认识其格式
dcmi-next = 请管理员查看内核消息：驱动不响应自己的库，也就不会响应Runtime

## 产品

look-product = 产品
names-of-devices = 设备名称
not-recognized = 无法识别
product-unknown = 规则库中没有产品系列包含名为{ $names }的设备
product-unknown-next = 用--product指定产品系列；并请反馈新的名称

## 可见设备的设置

look-container-devices = 容器的设备
look-visible-devices = 可见设备
visible-cut-off = Runtime读取ASCEND_RT_VISIBLE_DEVICES时在`{ $token }`处停止；可见设备：{ $devices }
visible-cut-off-next = 列出本机的设备，从0开始编号，升序排列，以逗号分隔
visible-duplicate = Runtime不接受ASCEND_RT_VISIBLE_DEVICES的整个值：设备{ $device }重复出现
visible-duplicate-next = 每个设备只列一次，升序排列
visible-not-ascending = Runtime不接受ASCEND_RT_VISIBLE_DEVICES的整个值：{ $then }排在{ $first }之后
visible-not-ascending-next = 按升序列出设备
visible-host-ids = ASCEND_RT_VISIBLE_DEVICES列出了设备{ $token }，但此容器有{ $count }个设备，从0开始编号：该编号是主机上的编号，Runtime会找到0个设备
visible-host-ids-next = 取消该环境变量，因为容器中只有自己的设备；或列出设备在容器中的编号，从0开始
visible-none = ASCEND_RT_VISIBLE_DEVICES没有列出设备，因此没有可见设备
visible-none-valid = ASCEND_RT_VISIBLE_DEVICES没有使任何设备可见：`{ $token }`不是此处某个设备的编号
visible-none-next = 取消该环境变量，或列出本机的设备，编号从0开始

## 健康状态

query-failed = 查询失败
health-unknown = 未知：某项查询失败
health-driver = 驱动报告自身状态异常：{ $state }
health-driver-next = 请管理员查看内核消息并重新加载驱动，或重启
health-warning = 设备{ $device }有健康告警
health-warning-next = 几秒后再次检查：由测试引起的告警会在100 ms内消失；若告警仍在，请把其告警码报告给管理员
health-bad = 设备{ $device }状态异常：{ $state }
health-bad-next = 从ASCEND_RT_VISIBLE_DEVICES中去掉它，或请人修复；告警码可说明复位是否有效；在许多服务器上，复位会影响所有设备
health-query-failed = 设备{ $device }的健康状态未知：工具查询失败
health-query-failed-next = 用`npu-smi info -t health -i …`单独查询该设备；从ASCEND_RT_VISIBLE_DEVICES中去掉它，或请人修复
health-memory-errors = 设备{ $device }启动以来不可纠正的内存错误：{ $errors }
health-memory-pages = 设备{ $device }上待下次复位后隔离的内存页：{ $pages }
health-memory-errors-seen = 已隔离的页：{ $isolated }，待下次复位后隔离：{ $waiting }
health-memory-errors-next = 在信任测试结果之前，请复位设备或重启机器，这样才会隔离这些页。不要清除计数，否则会取消隔离

## 设备的其他使用者

look-openers = 打开设备节点的进程
no-openers = 当前用户看不到任何进程
openers = { $count }个：进程ID { $processes }
of-another-namespace = 在另一个命名空间中
device-user = 进程{ $process }（{ $name }）
device-user-with-memory = 进程{ $process }（{ $name }，{ $mebibytes } MiB）
devices-in-use = 其他进程正在使用设备{ $device }
devices-in-use-next = 等待它们结束，或从ASCEND_RT_VISIBLE_DEVICES中去掉该设备：它们会改变设备的空闲内存，而--dedicated的规则会占用全部空闲内存
devices-memory-in-use = 设备{ $device }已用{ $used } MiB，但没有列出进程；空闲设备最多使用{ $idle } MiB
devices-memory-in-use-next = 在主机上检查，那里会列出所有容器的进程；复位或重启会释放没有进程占用的内存

## 错误码的原因

the-management-library = 驱动的管理库
opening-a-device = 打开设备（507899）
fails-with = { $by }失败，返回{ $code }
driver-no-answer = { fails-with }：{ $meaning }
driver-no-answer-next = { $count ->
    [0] 未找到已知原因（未重启、权限不足、沙箱、缺少节点、缺少驱动）；请在主机上以root运行，并查看内核消息
    [1] 按诊断项{ $causes }的建议处理，然后重试
   *[other] 按这些诊断项的建议处理，然后重试：{ $causes }
}
devices-resetting = { fails-with }：正在复位
devices-resetting-next = 等待几分钟直到复位结束，然后重试
devices-upgrading = { fails-with }：正在升级
devices-upgrading-next = 等待升级结束；之后可能需要重启
devices-not-ready = { fails-with }：设备尚未启动
devices-not-ready-next = 等待一分钟后重试；若仍如此，请联系管理员
chip-starting = 卡{ $card }，芯片{ $chip }：启动状态{ $state }；{ $started }表示已启动
devices-other-namespace = { fails-with }：另一个挂载命名空间中的进程占用该设备
devices-other-namespace-not-visible = { fails-with }：另一个挂载命名空间占用该设备，此处看不到其进程
devices-other-namespace-next = 找出占用该设备的容器、沙箱或服务（PrivateTmp和`unshare -m`也算）并将其停止；若在此处看不到，请在主机上操作；该命名空间中的最后一个进程结束后，设备即空闲。本套件的所有进程都在同一个命名空间中运行
process-holds = 进程{ $process }（{ $command }）占用{ $node }
process-resetting = 进程{ $process }：{ $command }
runtime-hangs = 机器看似正常，但设置设备时卡住：若通道的Device侧已失效，只有第一个打开设备的进程得不到响应
runtime-hangs-next = 把该机器移出资源池，并复位设备或重启机器
runtime-no-such-device = Runtime不认识该设备（107001）：其编号不是可见设备的编号，或驱动未加载
runtime-no-such-device-next = 取消ASCEND_RT_VISIBLE_DEVICES，或用--devices指定更少的设备；检查驱动的模块是否已加载
runtime-driver-too-old = Toolkit需要更新的驱动（207000、EE1015或缺少符号）
runtime-driver-too-old-next = 安装与Toolkit同样新的驱动和固件，或安装较旧的Toolkit
runtime-device-not-granted = Device侧未启动（507033）：此作业的控制组未授权使用该设备
runtime-device-not-granted-next = 只使用调度器授权的设备，并通过Runtime查询其数量
runtime-device-crowded = Device侧未及时启动（507033）：许多进程同时打开设备
runtime-device-crowded-next = 等待其他进程启动完毕，或减少同时启动的进程数
runtime-device-side = Device侧未启动（507033）：设备或其通道已损坏，尽管看似正常
runtime-device-side-next = 把该机器移出资源池：在这样的节点上每次启动都会卡住；复位或重启可能恢复
runtime-device-side-seen = 占用设备的其他进程：{ $count }个
