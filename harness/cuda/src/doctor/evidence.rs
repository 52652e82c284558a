//! Sources on which several findings rest.

pub(super) const COMPATIBILITY: &str =
    "docs.nvidia.com/deploy/cuda-compatibility (minor version, forward compatibility)";
pub(super) const CODES: &str = "CUDA driver API reference, CUresult; CUDA runtime API reference, cudaError";
pub(super) const ENVIRONMENT: &str = "CUDA programming guide, environment variables";
pub(super) const CONTAINERS: &str = "NVIDIA Container Toolkit documentation; nvidia-docker#1730";
pub(super) const SMI: &str = "nvidia-smi manual page; NVML reference, nvmlReturn_t";
pub(super) const MODULE: &str = "NVIDIA/open-gpu-kernel-modules; nvidia-modprobe manual page";
