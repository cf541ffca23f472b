//! The checksum of MCAP and of zip: CRC-32 with the reflected polynomial 0xEDB88320.

/// Tables for eight bytes at a time: `TABLES[k][b]` is the effect of byte `b` followed by `k` zeros.
const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
            byte += 1;
        }
        k += 1;
    }
    tables
}

/// The checksum of all bytes that were added.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Crc(u32);

impl Crc {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let mut crc = !self.0;
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            let low = u32::from_le_bytes([eight[0], eight[1], eight[2], eight[3]]) ^ crc;
            crc = TABLES[7][(low & 0xFF) as usize]
                ^ TABLES[6][(low >> 8 & 0xFF) as usize]
                ^ TABLES[5][(low >> 16 & 0xFF) as usize]
                ^ TABLES[4][(low >> 24) as usize]
                ^ TABLES[3][eight[4] as usize]
                ^ TABLES[2][eight[5] as usize]
                ^ TABLES[1][eight[6] as usize]
                ^ TABLES[0][eight[7] as usize];
        }
        for byte in rest {
            crc = (crc >> 8) ^ TABLES[0][((crc ^ u32::from(*byte)) & 0xFF) as usize];
        }
        self.0 = !crc;
    }

    pub(crate) fn value(self) -> u32 {
        self.0
    }
}

pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::default();
    crc.add(bytes);
    crc.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_polynomial_comes_out() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn the_sum_does_not_depend_on_how_the_bytes_were_cut() {
        let bytes: Vec<u8> = (0..100_u8).map(|i| i.wrapping_mul(37)).collect();
        for cut in 0..=bytes.len() {
            let mut crc = Crc::default();
            crc.add(&bytes[..cut]);
            crc.add(&bytes[cut..]);
            assert_eq!(crc.value(), crc32(&bytes), "cut at {cut}");
        }
    }
}
