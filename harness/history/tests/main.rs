//! Tests of the search, the models and the smallest parts.

mod brute;
mod drawing;
mod literature;
mod properties;
mod records;
mod shrinking;
mod support;
