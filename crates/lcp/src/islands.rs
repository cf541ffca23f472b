//! Independent parts of a problem: rows that no entry of the matrix connects.
//!
//! Theory: `docs/theory/auto.md`.

use crate::matrix::Matrix;

/// Groups of indices that the entries of A connect, each ascending, ordered by their first index.
/// Every `group` consecutive rows count as one node.
pub fn islands(A: &Matrix, group: usize) -> Vec<Vec<usize>> {
    let nodes = A.ncols() / group.max(1);
    let mut parent: Vec<usize> = (0..nodes).collect();
    let mut count = nodes;
    for j in 0..nodes * group {
        if count <= 1 {
            break;
        }
        let mut q = root(&mut parent, j / group);
        A.for_column(j, |i, a_ij| {
            if a_ij != 0.0 && parent[i / group] != q {
                let p = root(&mut parent, i / group);
                if p != q {
                    parent[p.max(q)] = p.min(q);
                    q = p.min(q);
                    count -= 1;
                }
            }
        });
    }
    let mut place = vec![usize::MAX; nodes];
    let mut found: Vec<Vec<usize>> = Vec::new();
    for i in 0..nodes {
        let r = root(&mut parent, i);
        if place[r] == usize::MAX {
            place[r] = found.len();
            found.push(Vec::new());
        }
        found[place[r]].push(i);
    }
    found
}

/// Where each row stands within its island: row r of node k goes to `group · (place of k) + r`.
pub(crate) fn places(parts: &[Vec<usize>], group: usize) -> Vec<usize> {
    let mut place = vec![0; group * parts.iter().map(Vec::len).sum::<usize>()];
    for part in parts {
        for (at, &node) in part.iter().enumerate() {
            for k in 0..group {
                place[node * group + k] = at * group + k;
            }
        }
    }
    place
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::MatX;

    #[test]
    fn connected_rows_stay_together() {
        let mut A = MatX::identity(6, 6);
        A[(0, 4)] = 1.0;
        A[(3, 2)] = -1.0;
        let A = Matrix::from(A);
        assert_eq!(islands(&A, 1), [vec![0, 4], vec![1], vec![2, 3], vec![5]]);
        assert_eq!(islands(&A, 2), [vec![0, 2], vec![1]]);
    }
}
