### CUDA环境诊断的中文文字。语法：https://projectfluent.org
###
### 每个诊断项的标题以其标识命名，另有建议和现象的文字。
###
### 不在此处：文件、函数和选项的名称，引用，以及运行也会写入记录的文字（设备状态、错误码和Xid的含义）。

## 环境

look-environment = 环境变量
look-toolkit-folder = Toolkit的目录
look-service = 多进程服务
not-set = 未设置
environment-stale = { $name }指向{ $home }，但该目录不存在
environment-stale-next = 把它设为已安装Toolkit的目录，或取消该环境变量
loading-by-workers = 未设置；套件的进程将其设为EAGER
environment-loading = 设置了CUDA_MODULE_LOADING，核函数在首次使用时加载，加载可能等待所有流
environment-loading-next = 无需处理，或取消该环境变量：运行的进程随后在启动时加载所有核函数
environment-connections = CUDA_DEVICE_MAX_CONNECTIONS小于8，各个流共用硬件队列
environment-connections-next = 取消该环境变量：设置它时，需要两个流同时运行的规则会受阻
environment-blocking = 设置了CUDA_LAUNCH_BLOCKING，核函数不会异步执行
environment-blocking-next = 取消该环境变量：设置它时，检查流间顺序的规则能证明的更少
environment-managed = 设置了CUDA_MANAGED_FORCE_DEVICE_ALLOC，托管内存会放在设备内存中
environment-managed-next = 取消该环境变量，或把它与结果一起记录
service-runs = 多进程服务（MPS）正在运行：多个进程共享设备的一个上下文
service-runs-next = 运行本套件期间停止该服务（`echo quit | nvidia-cuda-mps-control`）：一个进程的故障可能使其他进程结束
service-absent = CUDA_MPS_PIPE_DIRECTORY指向{ $folder }，但那里没有运行多进程服务
service-absent-next = 若不打算使用该服务，请取消该环境变量
advice-installation = 安装NVIDIA驱动，其中包含libcuda.so.1（容器从主机获得该库：启动容器时带上GPU）
advice-dependency = 重新安装该库所在的软件包

## 库及其版本

look-toolkit = Toolkit的库
look-versions = 库的版本
look-module-version = 内核模块的版本
the-library = 驱动的库
libraries-end = 查询版本的进程因这些库而结束：{ $end }
libraries-end-next = 运行`nvidia-smi`，并请管理员查看内核消息；若驱动正常，请重新安装该库所在的软件包
toolkit-missing = 未找到Toolkit的库（{ $names }），因此跳过需要它的规则
toolkit-missing-next = 若要执行这些规则，请安装Toolkit或Python包nvidia-cuda-runtime，并把库所在目录加入LD_LIBRARY_PATH
toolkit-missing-next-wheel = 若要执行这些规则，请把Python包的目录加入LD_LIBRARY_PATH：{ $folder }
toolkit-not-loadable = 加载器拒绝加载Toolkit的库{ $path }
toolkit-not-loadable-next = 安装与本机架构和C库相符的Toolkit，或从LD_LIBRARY_PATH中去掉该库
toolkit-no-driver = Toolkit的库（版本{ $version }）找不到驱动，因此它使用设备的每个调用都会失败并返回35
toolkit-no-driver-next = 安装NVIDIA驱动，或启动容器时带上GPU；仅有Toolkit无法使用设备
driver-library-missing = 驱动的模块已加载，但未找到其库libcuda.so.1
driver-library-missing-next = 安装同一驱动版本的计算库（软件包libnvidia-compute、nvidia-driver-cuda或厂商的安装程序），或把libcuda.so.1所在目录加入LD_LIBRARY_PATH
driver-stub = { $path }是用于链接的桩库：其每个函数都会失败并返回34
driver-stub-next = 从LD_LIBRARY_PATH中去掉Toolkit的`stubs`目录，并安装包含真实库的NVIDIA驱动
driver-version-fails = cuDriverGetVersion失败，返回{ $code }：{ $meaning }
driver-version-fails-next = 运行`nvidia-smi`；若它正常，请重新安装驱动的软件包，使库与模块的版本一致
driver-mismatch = 驱动的库与已加载的内核模块版本不一致（803）
driver-mismatch-next = 重启，或卸载并重新加载驱动的模块：软件包已升级，而旧模块仍在使用；若在容器中，请重新启动容器，使其获得主机的库
driver-forward = 驱动的库来自前向兼容软件包
driver-forward-next = 请确认设备支持前向兼容（数据中心设备支持）：在其他设备上，每次启动都会失败并返回804
versions-differ-seen = 库{ $library }，内核模块{ $module }
versions-limited = Toolkit的库（{ $toolkit }）比驱动（{ $driver }）新，主版本相同
versions-limited-next = 把两个版本与结果一起记录：需要更新驱动的调用会失败并返回36
versions-too-old = Toolkit的库（{ $toolkit }）的主版本比驱动（{ $driver }）新，因此其调用会失败并返回35
versions-too-old-next = 安装{ $branch }或更新分支的驱动，在数据中心设备上安装前向兼容软件包，或使用较旧的Toolkit；若LD_LIBRARY_PATH中没有Toolkit的目录，则只跳过需要它的规则

## 设备节点、硬件和内核

look-nodes = 设备节点
look-hardware = 硬件
look-modules = 内核模块
look-kernel-messages = 内核消息
look-channels = fabric句柄的通道
look-wsl = 适用于Linux的Windows子系统
no-nodes = 无
no-channels = 无；仅当驱动不需要通道时，fabric句柄才可用
no-modules = 没有驱动的模块
accelerators = { $count }个该厂商的显示或计算设备，第一个位于{ $first }
no-accelerator = { $count }个PCI设备中没有该厂商的设备
slot = 位于PCI总线：{ $slot }
nodes-none-in-container = 此容器没有设备：缺少/dev/nvidia0等节点
nodes-none-in-container-next = 启动容器时带上设备：使用`--gpus all`或NVIDIA Container Toolkit的运行时`nvidia`，或集群的资源`nvidia.com/gpu`
driver-nouveau = 内核对该设备使用了nouveau驱动，因此无法加载NVIDIA驱动
driver-nouveau-next = 禁用nouveau（modprobe.d：`blacklist nouveau`），重新生成初始内存盘，然后重启
driver-module-not-loaded = 内核没有加载nvidia模块
driver-module-not-loaded-next = 安装NVIDIA驱动；若已安装，请执行`modprobe nvidia`并查看其错误：内核升级后需要重新编译模块，安全启动需要已签名的模块
driver-module-not-loaded-next-no-hardware = 请确认这是要使用的机器：其PCI总线上没有该厂商的显示或计算设备
nodes-none = 没有设备节点
nodes-none-next = 以root执行一次`nvidia-smi`或`nvidia-modprobe -c 0 -u`，它们会创建节点；若仍缺少，请查看内核消息
nodes-incomplete = 缺少每个进程都需要的节点：{ $nodes }
nodes-incomplete-next = 以root执行`nvidia-modprobe -c 0 -u`，它会加载nvidia-uvm模块并创建节点；驱动在首次使用时也会尝试
nodes-incomplete-next-in-container = 用NVIDIA Container Toolkit重新启动容器，它也会传入这些节点
nodes-no-device = { $node }不是设备
nodes-no-device-next = 在已加载驱动的主机上启动容器，或去掉该路径
nodes-not-granted = 此进程的控制组不允许使用该设备
nodes-not-granted-next = 向调度器申请设备；systemd重新加载单元时，已有设备的容器会失去设备：请重新启动容器，并用--device传入节点
nodes-blocked = 设备被阻止：工具无法打开设备
nodes-denied = 当前用户无权打开设备
nodes-denied-next = 把用户加入组{ $group }并重新登录，或在加载驱动时改变节点的权限（NVreg_DeviceFileMode）
node-denied = { $node }的权限为{ $mode }，用户{ $user }，组{ $group }：{ $error }
wsl-no-device = 适用于Linux的Windows子系统没有设备/dev/dxg
wsl-no-device-next = 在Windows中安装NVIDIA驱动，使用子系统的版本2，并更新其内核（`wsl --update`）
wsl-no-library = 适用于Linux的Windows子系统没有libcuda.so.1
wsl-no-library-next = 在Windows中安装NVIDIA驱动（不要在Linux中安装），并确认/usr/lib/wsl/lib在加载器的目录中
container-no-library = 容器有设备的节点，但没有驱动的库libcuda.so.1
container-no-library-next = 用NVIDIA Container Toolkit和NVIDIA_DRIVER_CAPABILITIES=compute,utility启动容器：仅传入节点（--device）不会挂载任何库
kernel-device-errors = 内核报告系统启动以来设备、其固件或其链路出现过错误
kernel-device-errors-next = 用--probe运行，看设备现在是否可用；否则请复位设备或重启机器
kernel-memory-errors = 内核报告系统启动以来设备出现过内存错误
kernel-memory-errors-next = 在信任结果之前请复位设备：内存的替换在复位后生效
kernel-program-errors = 内核报告系统启动以来设备上的程序出现过错误
kernel-program-errors-next = 无需处理；若这些程序属于本套件，请与该次运行的失败一起查看

## 厂商的工具和设备

look-tool = 厂商的工具
look-product = 产品
names-of-devices = 设备名称
not-recognized = 无法识别
product-unknown = 规则库中没有产品包含名为{ $names }的设备；运行按数据中心GPU测试
product-unknown-next = 用--product指定其他产品；并请反馈新的名称
tool-not-found = 未找到；缺少健康状态和内存数据
tool-hangs = nvidia-smi无响应，超时后被终止
tool-hangs-next = 请管理员查看内核消息（Xid 79、119），然后复位设备或重启
tool-no-driver = nvidia-smi无法访问驱动
tool-no-driver-next = 以root执行`modprobe nvidia`并查看其错误；若模块不存在，请安装驱动
tool-no-device = nvidia-smi没有列出设备
tool-no-device-next = 查看内核关于该设备的消息；若在容器中，请检查NVIDIA_VISIBLE_DEVICES
tool-fails = nvidia-smi失败
tool-fails-next = 手动运行它，并按其消息处理；没有它就无法得知健康状态和内存使用情况
device-lost = 有设备不再响应驱动
device-lost-next = 请重启机器或给设备断电再上电；查看内核消息中的Xid 79，在此之前不要把该设备列入CUDA_VISIBLE_DEVICES
device-user = 进程{ $process }（{ $name }）
device-user-with-memory = 进程{ $process }（{ $name }，{ $mebibytes } MiB）
devices-in-use = 其他进程正在使用设备{ $device }
devices-in-use-next = 等待它们结束，或不要把该设备列入CUDA_VISIBLE_DEVICES：它们会改变空闲内存，而带--dedicated的规则会占用全部内存
devices-memory-in-use = 设备{ $device }已用{ $used } MiB内存，但没有列出进程；空闲设备最多使用{ $idle } MiB
devices-memory-in-use-next = 在主机上查看，主机会列出所有容器的进程
health-no-answer = 设备{ $device }无响应
health-exhausted = 设备{ $device }有无法替换的故障内存
health-exhausted-next = 不要把它列入CUDA_VISIBLE_DEVICES，并请更换该设备
health-pending = 设备{ $device }有等待复位后替换的故障内存
health-pending-next = 在信任结果之前请复位设备（`nvidia-smi --gpu-reset`，以root执行，且没有其他用户）
health-memory-errors = 驱动加载以来设备{ $device }的不可纠正内存错误数：{ $errors }
mode-prohibited = 设备{ $device }的计算模式禁止所有进程
mode-exclusive = 设备{ $device }的计算模式为{ $mode }，一次只允许一个进程；本套件使用多个进程，其他进程会失败并返回46
mode-next = 设为默认模式：以root执行`nvidia-smi -i { $device } -c DEFAULT`
mig-no-instance = 设备已划分（MIG），但没有实例，因此无法在其上运行：{ $devices }
mig-no-instance-next = 创建实例（`nvidia-smi mig -cgi … -C`，以root执行），或退出该模式（`nvidia-smi -mig 0`）
mig-instances = 设备已划分（MIG）为{ $parts }个实例：{ $devices }
mig-instances-next = 一个进程使用一个实例：在CUDA_VISIBLE_DEVICES中给出其UUID（`nvidia-smi -L`）；跳过需要多个设备的规则
persistence-off = 持久模式已关闭，因此驱动会为第一个进程重新启动设备：{ $devices }
persistence-off-next = 若启动较慢，请运行持久化守护进程（nvidia-persistenced）

## 可见设备的设置

look-container-devices = 容器的设备
look-visible-devices = 可见设备
look-device-order = 设备的顺序
visible-container-none = NVIDIA_VISIBLE_DEVICES为“{ $given }”，因此容器运行时不传入任何设备
visible-container-none-next = 启动容器时把它设为`all`或设备的UUID
visible-cut-off = Runtime读取CUDA_VISIBLE_DEVICES时在`{ $token }`处停止；可见设备：{ $devices }
visible-cut-off-next = 列出本机设备的编号（从0开始）或UUID，以逗号分隔
visible-none = CUDA_VISIBLE_DEVICES没有列出设备，因此没有可见设备
visible-none-valid = CUDA_VISIBLE_DEVICES没有使任何设备可见：`{ $token }`不是此处的设备
visible-none-next = 取消该环境变量，或列出本机的设备，编号从0开始
visible-order = 设备各不相同（{ $names }），因此Runtime的编号顺序可能与nvidia-smi不同
visible-order-next = 设置CUDA_DEVICE_ORDER=PCI_BUS_ID，使二者使用同一顺序

## 错误码的原因

runtime-code = Runtime失败，返回{ $code }：{ $meaning }
runtime-hangs = 设置设备时卡住
runtime-hangs-next = 请管理员查看内核消息（Xid 79、119），然后复位设备或重启
runtime-no-memory-next = 结束设备的其他用户：启动需要数百MiB的设备内存
runtime-driver-too-old-next = 安装更新的驱动，或使用较旧的Toolkit
runtime-device-unavailable-next = 结束独占设备的进程，或设为默认计算模式（以root执行`nvidia-smi -c DEFAULT`）
runtime-no-such-device-next = 取消CUDA_VISIBLE_DEVICES，或用--devices指定较少的设备
runtime-not-ready-next = 启动与驱动版本相同的服务nvidia-fabricmanager，带NVSwitch的设备需要它
runtime-no-forward-next = 从LD_LIBRARY_PATH中去掉前向兼容软件包（cuda-compat），并使用不比驱动新的Toolkit
runtime-no-device-next = { $count ->
    [0] 未找到已知原因：请运行`nvidia-smi`并查看内核消息
    [one] 按诊断项{ $causes }的建议处理，然后重试
   *[other] 按以下诊断项的建议处理，然后重试：{ $causes }
}
