//! Sources on which several findings rest.

pub(super) const FAQ: &str = "MindCluster FAQ; public reports of four sites";
pub(super) const DEVICE_SIDE: &str = "public reports of two sites; HAMi#1894";
pub(super) const HALF_DEAD: &str = "half-dead nodes of a Slurm site (public report)";
