count-rules = { $count ->
    [one] { $count } rule
   *[other] { $count } rules
}
