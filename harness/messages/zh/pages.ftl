### The Chinese wording of pages for people.

## report.html

heading-since = 与{ $started }开始的运行相比
since-numbers = 新增违反{ $broke }条，恢复符合{ $fixed }条，仍违反{ $still }条。
since-broke = 新增违反
since-fixed = 恢复符合
tile-causes = 个原因
tile-broken = 违反{ $count }条
tile-broken-and-known = 违反{ $count }条，另有{ $known }条已知失败
known-verdict = 已知：{ $verdict }
other-rules-of-cause = 同一原因的其他{ $count }条规则
other-rules-of-causes = 上述原因的其他{ $count }条规则
was-before = 上次：{ $verdict }
print-whole = 打印全部细节（不选时只打印一页）
copy = 复制
copied = 已复制
all-devices = 全部设备
lane = { $device }：{ count-rules }，{ $time }
lane-hint = 每条泳道按顺序显示一个设备上执行的规则，长度表示耗时；运行记录不包含规则之间的间隔。
column-time-of-case = 每个用例的耗时

## Two runs compared

diff-worse = 新版本变差：新增{ $count }条规则被违反。请勿上线。
diff-worse-in-places = 新版本有{ $places }处变差（新增{ $count }条规则被违反）。请勿上线。
diff-also-better = 另有{ $count }条规则变好。
diff-fails-otherwise = 没有新增被违反的规则，但有{ $count }条被违反的规则失败方式不同：上线前请先查看。
diff-lost = 没有新增被违反的规则，但{ $count }条规则在新版本上没有结论：其情况未知。
diff-better = 新版本有{ $count }条规则变好，没有变差的规则。
diff-only-drift = 没有承诺被违反。有{ $count }处文档未承诺的行为发生了变化。
diff-nothing-compared = 没有可比较的内容：没有规则在两次运行中都有结果。
diff-same-flaky = 新版本与旧版本一样好；{ $count }条规则与以前一样不稳定。
diff-same = 新版本与旧版本一样好：{ $count }条规则的行为不变。
diff-findings = 新的发现项：现在失败的级别info的规则
diff-causes = 规则被违反的原因
tile-worse = 变差
tile-other-symptom = 失败方式不同
tile-better = 变好
tile-drift = 有变化，但未违反承诺
tile-same = 不变

## Runs over time

runs-newest-first = 历次运行，最新的在前；点击开始时间可打开该次运行的页面
chart-results = 各次运行的结果
chart-times = 各次运行的耗时
others-with-same-results = 另有{ $count }条结果相同

## Many runs side by side

matrix-title = 按运行、产品或驱动排列的规则
matrix-sentence = { $columns }列：{ $good }条规则在执行过的每一列中都符合，{ $rest }条并非如此；{ $suspects }条规则本身可疑。
matrix-suspects = 可疑的规则：在每个有结论的产品上都被违反
matrix-suspect = { $rule }在每个有结论的产品上都被违反：{ $products }。该规则可能误读了文档。
matrix-seeded = 其中有带预置缺陷的设备，其失败不能说明规则有问题。
matrix-chapters = 章节与规则

## Documents next to rules

sentences-title = 文档及以其为依据的规则
sentences-of-run = 绿色的句子已由{ $product }上{ $started }开始的运行证明：有规则对其作出判定，该规则的每项检查都已判定，且规则符合。
sentences-without-run = 没有给出运行，因此这里没有任何证明；`--run RUN`可加入一次运行的结果。
sentences-known = { $all }个句子中有{ $some }个有对应规则
sentence-proven = 由本次运行证明
sentence-broken = 有规则被违反
sentence-open = 有对应规则，但本次运行未证明
sentence-without-rule = 没有对应规则
column-line = 行
column-sentence = 句子
