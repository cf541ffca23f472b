//! Threads that share the work of a step: collision of pairs of shapes, islands of contacts.
//!
//! Each part is computed by itself and written to its own place, and nothing is added up across parts: how many threads there are, and which
//! one does what, changes no bit.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// One thread, the caller's, unless there is a pool.
#[derive(Clone, Default)]
pub(crate) struct Threads {
    pool: Option<Arc<ThreadPool>>,
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Threads({})", self.count())
    }
}

impl Threads {
    /// So many, or one where the system has no more.
    pub(crate) fn new(count: NonZeroUsize) -> Self {
        if count.get() == 1 {
            return Self::default();
        }
        let pool = ThreadPoolBuilder::new().num_threads(count.get()).build();
        Self { pool: pool.ok().map(Arc::new) }
    }

    pub(crate) fn count(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Calls f with each part, at the same time where there are threads.
    pub(crate) fn each<T: Send>(&self, parts: &mut [T], f: impl Fn(&mut T) + Send + Sync) {
        match &self.pool {
            Some(pool) if parts.len() > 1 => pool.install(|| parts.par_iter_mut().for_each(f)),
            _ => parts.iter_mut().for_each(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_done_once() {
        for count in [1, 2, 5] {
            let threads = Threads::new(NonZeroUsize::new(count).unwrap());
            assert_eq!(threads.count(), count);
            let mut parts: Vec<usize> = (0..100).collect();
            threads.each(&mut parts, |part| *part += 1000);
            assert!(parts.iter().enumerate().all(|(i, part)| *part == 1000 + i));
        }
    }
}
