### 报告的中文文字。语法：https://projectfluent.org
###
### 此处只有终端上的判定和失败块；没有的消息使用英文。
### 术语见docs/zh/terms.md，排版与厂商文档一致：中文与西文之间不加空格，使用全角标点。

## 数量

count-bytes = { $count }字节
count-cases = { $count }个用例
count-checks = { $count }次检查
count-entries = { $count }个条目
count-findings = { $count }个发现项
count-known-failures = { $count }个已知失败
count-lines = { $count }行
count-results = { $count }个结果
count-rules = { $count }条规则
count-runs = { $count }次运行
count-times = { $count }次
of = { $some }/{ $all }
some-results = 规则库共{ $all }条规则，其中{ $some }条有结果
no-results = 没有规则产生结果。
all = 全部
absent = 无
unreadable = 无法读取
unfinished = 未完成
exit-status = 退出码{ $status }
level-info = 级别info

## 结果的含义与判定的说明

meaning-good = 符合
meaning-broken = 违反
meaning-finding = 发现
meaning-findings = 发现
meaning-unknown = 未知
meaning-skipped = 跳过
only-observed = 仅记录
verdict-exceeds = 文档说明不支持的调用成功了
verdict-observed = 文档未定义其行为：只记录，不判定

## 判定和已知失败分类的名称：在英文中与运行记录一致

verdict-name-pass = 通过
verdict-name-fail = 失败
verdict-name-wrong-code = 返回码不符
verdict-name-exceeds = 超出
verdict-name-observed = 仅记录
verdict-name-blocked = 受阻
verdict-name-skipped = 跳过
verdict-name-error = 错误
verdict-name-crash = 崩溃
verdict-name-timeout = 超时
verdict-name-flaky = 不稳定
verdict-name-device-lost = 设备丢失
verdict-name-cut = 截断
sort-name-known = 已知
sort-name-new = 新增
sort-name-unlike = 不同
sort-name-too-often = 过于频繁
sort-name-expired = 已过期
sort-name-fixed = 已修复

## 一句话概括运行结果

result-unfinished = 运行未完成；目前有{ count-rules }被违反
result-only-known = 没有新问题：{ count-known-failures }；其他已执行的规则均未被违反
result-good-but-cut = 已执行的规则均未被违反，但用例未全部执行：{ count-rules }未知
result-nothing-tested = 未测试任何内容：没有规则得出结论
result-only-findings = 未测试任何承诺：参见发现项
result-conformant = 符合：已执行的规则均未被违反
result-fail-on = 因--fail-on判为失败：参见已修复和已过期的已知失败
result-strict-findings = 不符合：参见发现项
result-not-conformant = 不符合：{ count-rules }被违反
unconfirmed = 未确认
count-unconfirmed = { $of }个失败中有{ $count }个只出现一次且未重新运行（未确认）
result-too-few = 未知：执行了{ count-rules }，而min-executed要求{ $least }条
result-unusable-cases = 未知：部分保存的反例无法重试；参见备注
result-unknown-cut = 未知：{ count-rules }的部分用例未执行
result-unknown = 未知：环境或设备出错

## 失败块、摘要和页面中的标签

label-budget = 预算
label-by-device = 各设备
label-calls = 调用
label-case = 用例
label-catalog = 规则库
label-chance = 概率
label-check = 检查项
label-code = 返回码
label-coverage = 覆盖
label-defects = 预置缺陷
label-device = 设备
label-devices = 设备
label-documents = 文档
label-doubt = 疑点
label-ended = 结束
label-exit-status = 退出码
label-expected = 预期
label-findings = 发现项
label-found = 结论
label-further = 其他库
label-host = 主机
label-identity = 标识
label-in-flight = 执行中
label-installed = 已安装
label-interrupted = 被中断
label-last-call = 最后调用
label-last-error = 最近错误
label-capabilities = 能力
label-left-out = 未纳入
label-library = 库
label-logs = 日志
label-mapped = 已加载
label-median = 中位数
label-merged = 合并
label-new = 新
label-not-judged = 不判定
label-notes = 说明
label-observed = 观测
label-old = 旧
label-only-after = 前序用例
label-open = 待定
label-outlier = 离群值
label-output = 输出
label-part = 分片
label-place = 位置
label-promised = 承诺
label-reason = 原因
label-remark = 备注
label-remarks = 备注
label-replay = 重放
label-report = 报告
label-result = 结果
label-resumed = 续跑
label-retried = 重试项
label-retries = 重试
label-rule = 规则
label-rules = 规则
label-run = 运行
label-run-again = 再次运行
label-seen = 现象
label-selected = 已选择
label-settings = 设置
label-sources = 出处
label-stack = 调用栈
label-started = 启动
label-started-for = 启动原因
label-statement = 语句
label-steps = 步骤
label-strength = 强度
label-suite = 套件
label-time = 耗时
label-unknown = 未知
label-unusable = 不可用
label-value = 值
label-values = 取值
label-verdict = 判定
label-verdicts = 判定
label-version = 版本
label-without-axioms = 不采用的公理
label-work = 工作量
label-workers = 工作进程

## 失败块

case-found = 在第{ $case }个用例中发现
case-shrunk = 在第{ $case }个用例中发现，随后缩减了{ count-times }
case-shrinking-cut = { $found }；缩减因预算用尽而停止（更大的--profile可提高预算）
again-flaky = { $clause }；首次判定为{ $verdict }
again-after-others = { $clause }；单独运行的失败比例：{ $repeats }
case-without-values = 没有取值的用例
observed-class = { $class }：{ count-cases }
work = { $cases }，{ $checks }，耗时{ $time }，随机种子{ $seed }
rule-resumed = 运行在执行此规则时停止了{ count-times }，之后续跑
logs-none = 无（{ $why }）
logs-no-lines = 各来源都没有日志行
logs-file = { $name }（{ count-lines }）
logs-file-end = { $name }（{ count-lines }，省略{ $omitted }行）
clause-quoted = { $clause }；原文：{ $original }
also-rests-on = 另依据{ $clauses }
omitted-calls = （省略了之前的{ $count }次调用；运行记录中有全部调用）
stack-thread = 线程{ $name }：{ $wait }
stack-more-frames = 还有{ $count }个外层栈帧，见运行记录
stack-more-threads = 还有{ $count }个其他线程，见运行记录
omitted-cases = （省略了之前的{ $count }个用例）
omitted-lines = （省略了之前的{ $count }行）

## 测试对象

simulated = 模拟设备
not-simulated = 真实设备
simulated-warning = 模拟设备：本次运行不能说明任何硬件的情况
with-seeded-defect = 带有预置缺陷{ $defect }
first-line = atlas-cts { $suite }：{ $library }；{ $device }，产品{ $product }；随机种子{ $seed }；测试档位{ $profile }
first-line-defects = 预置缺陷{ $defects }
library = { $path }（sha256 { $sha256 }，{ $version }；选择依据：{ $by }）
version = 版本{ $version }
version-not-reported = 未报告版本
simulated-device = 模拟的{ $name }
simulated-device-without-name = 未报告名称的模拟设备
device-without-name = 未报告名称的设备
unusable-devices = { $devices }（不可用：{ $out }）
unknown-model = 未知型号
device-is = 设备{ $device }：{ $what }
target = { $device }，产品{ $product }，软件版本{ $edition }
programs-run-on = 程序运行在{ $mode }
profile-and-seed = 测试档位{ $profile }，随机种子{ $seed }
patience = 等待上限{ $milliseconds } ms
deadline = 超时时间{ $seconds } s
started-at = 开始于{ $time }
resumed-at = 续跑于{ $time }
host-pages = 页大小{ $size }
host-virtual = 虚拟机
host-physical = 非虚拟机
host-virtual-assumed-physical = 虚拟机，按物理机处理（ATLAS_CTS_ASSUME_BARE_METAL）
host-assumed-physical = 按物理机处理（ATLAS_CTS_ASSUME_BARE_METAL）
host-uncertain = 无法确定是否为虚拟机
host-container = 在容器中（{ $maker }）
host-unprivileged-container = 在容器中（{ $maker }，非特权）
host-may-lock = 可锁定内存{ $size }
capability-had = 具备{ $name }
capability-lacked = 不具备{ $name }
capability-unknown = { $name }未知（{ $why }）
capability-shown = 设备支持以下功能，但没有文档对此作出承诺：{ $what }；只记录，不判定
capability-missing = 设备不支持以下功能：{ $what }；{ $why }
left-out = { count-rules }：{ $why }
left-out-on-virtual-machine = { count-rules }：{ $why }（若并非虚拟机，请设ATLAS_CTS_ASSUME_BARE_METAL=1）
part = 第{ $number }片，共{ $of }片
part-balanced = 第{ $number }片，共{ $of }片，按先前运行中各规则的耗时均衡
merged = { $number }/{ $of }片，已合并
merged-from = { $number }/{ $of }片，来自{ count-runs }，已合并
merged-run = 第{ $part }片，共{ $of }片：{ $run }，开始于{ $started }，{ count-results }，{ $exit }

## 终端上的摘要

broken-info-rules = 发现项：级别info的规则被违反
memory-limit-findings = 发现项：进程达到了内存上限
memory-limit = 除启动所需外另占用{ $mebibytes } MiB
memory-limit-in-call = 在{ $call }中：除启动所需外另占用{ $mebibytes } MiB
option-would-add = 加上{ $option }还会执行
subjects = 主题
subject = { $name }：{ count-rules }，判定{ $judged }条：{ $parts }
interrupted-rules = 被中断：运行在执行这些规则时停止，之后续跑
interrupted = 被中断{ count-times }
fewer-cases = 执行的用例少于计划
other-rules-in-journal = 运行记录中还有{ $count }条规则
for-other-reasons = 另有{ $count }种原因，见运行记录
and-more-in-journal = 运行记录中还有{ $count }项
no-reason = 未给出原因
rules-with-observations = { count-rules }有观测结果
rules-on-contradictory-documents = { count-rules }所依据的文档自相矛盾
workers = 启动了{ $count }个，启动共耗时{ $time }
workers-with-runtime = 启动了{ $count }个，其中{ $runtimes }个加载了Runtime，启动共耗时{ $time }
time-since-resumed = { $time }（自续跑起）
retries = { $causes }（从不因判定结果而重试）

welcome-explain = 阅读应先看的规则
## 终端上的进度行

progress-rules = { $done }/{ $all }条规则，{ $time }
progress-left = ，约剩{ $time }
progress-case = 用例{ $case }

## 已知失败

known-failures = 已知失败
known-unlike = 不同：现象与已知的不一致
known-too-often = 过于频繁：不稳定项的失败率超过条目允许的值
known-expired = 已过期：条目已到期的已知失败
known-fixed = 已修复：现已符合的已知失败
known-entry = { $tracker }，负责人{ $owner }，截止{ $expires }（{ $place }）
known-applied = { $numbers }；{ $path }中有{ count-entries }，截至{ $day }
known-none-matched = 没有失败与条目匹配
known-line = 已知失败：{ $path }（sha256 { $sha256 }…），{ count-entries }，{ $applying }个适用于此设备
known-open = { $count }个待定

## 标题和列名

column-chapter = 章节
column-rules = 规则
column-time = 耗时

## 原因

heading-causes = 原因
heading-causes-of-broken = 规则被违反的原因
cause-answer = { $function }返回{ $code }
cause-hang = { $function }没有返回
cause-crash = { $function }结束了其所在进程
cause-value = { $function }给出的值不正确
cause-after = { $all }条中有{ $some }条出现在{ $call }之后
cause-first-owner = 先看{ $rule }，它是{ $function }的主测规则
cause-first-smallest = 先看{ $rule }，它的调用最少
also-broken = 另有：
findings-alike = 以及{ count-findings }与此相似：
next-program = C程序
next-failed = 失败规则
next-page = 网页

## 字节的差异

label-difference = 字节差异
bytes-all = 全部字节（共{ $count }字节）
bytes-one-byte = { $length }字节中偏移{ $first }处的1字节
bytes-head = { $length }字节中的开头{ $count }字节
bytes-tail = { $length }字节中的末尾{ $count }字节
bytes-block = { $length }字节中从偏移{ $first }开始的{ count-bytes }
bytes-every-nth = { $length }字节中的{ count-bytes }，各段相距{ $step }字节
bytes-scattered = { $length }字节中的{ $count }字节，分布无规律
content-never-written = 从未写入
content-zero = 全零
content-other-pattern = 同一用例的另一种填充内容
content-early = 预期的内容，位置靠前{ count-bytes }
content-late = 预期的内容，位置靠后{ count-bytes }
content-shifted = 预期的内容，位置错误
content-constant = 同一个值的重复
content-unknown = 其他内容
group-all = 全部字节
group-all-alike = 全部{ count-bytes }
group-one-byte = 一个字节
group-head = 开头的字节
group-tail = 末尾的字节
group-block = 中间的一段
group-every-nth = 等间距的各段
group-scattered = 分布无规律的字节
group-bytes = { $least }至{ $most }字节

## 同时调用

label-history = 调用历史
history-summary = { $name }（{ $model }）：共{ $count }次调用，其中以#标出的{ $part }次调用，任何顺序都不允许
history-summary-red = { $name }（{ $model }）：共{ $count }次调用，其中以红色标出的{ $part }次调用，任何顺序都不允许
history-before = 此前：{ $state }
history-open = （未返回）

## 失败的边界

label-boundary = 失败条件
boundary-passes = 通过：{ $value }
boundary-cut = 尝试{ count-cases }后仍不精确
boundary-any = 试过的任意值：{ $axes }
boundary-any-axis = { $axis }（{ $count }个）
boundary-untried = 没有{ $values }的用例
boundary-untried-with = 在{ $axes }时没有{ $values }的用例
