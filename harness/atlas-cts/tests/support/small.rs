//! The rules in the catalogs of several tests. Each rests on the manual's section on blocks.

/// The seeded defect that breaks [`ALIGNED`].
pub const MISALIGNED: &str = "malloc.aligned-only-from-4KiB";

/// A rule of two cases that breaks on a device with misaligned blocks.
pub const ALIGNED: &str = "
  - id: acl.small.aligned
    title: A block is aligned
    statement: A block is aligned.
    clauses: {manual: manual.blocks}
    level: must
    forall:
      size: {every: [100, 200]}
    steps: |
      aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
      (uintptr_t)p % 64 == 0;
";

/// A rule that holds.
pub const HOLDS: &str = "
  - id: acl.small.holds
    title: A block is there
    statement: A block is there.
    clauses: {manual: manual.blocks}
    level: must
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

/// A rule that does not apply to a2.
pub const ELSEWHERE: &str = "
  - id: acl.small.elsewhere
    title: A block is there elsewhere
    statement: A block is there elsewhere.
    clauses: {manual: manual.blocks}
    level: must
    when: {not_products: [a2]}
    steps: |
      aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);
      p != NULL;
";

/// A chapter of these rules.
pub fn chapter(rules: &[&str]) -> String {
    format!("title: Small\nrules:{}", rules.concat())
}
