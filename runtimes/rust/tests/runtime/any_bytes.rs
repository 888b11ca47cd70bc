//! Opening never panics, whatever the bytes, and whatever opened answers. Numbers that leave their range
//! panic here too, since tests are built with checks of that.
//!
//! `PROPTEST_CASES` says how many cases to draw, `PROPTEST_RNG_SEED` from which seed.

use std::fs;

use proptest::prelude::*;
use proptest::sample::{select, Index};
use proptest::test_runner::RngSeed;
use sha2::{Digest, Sha256};
use tailc_runtime::{Form, Options, Policy, PublicKey};

use super::vector;

const NAMES: [&str; 14] = [
    "classes",
    "lucene",
    "cores",
    "controller",
    "lanes",
    "rate",
    "tails-batch",
    "tails-trim",
    "shares",
    "shares-observer",
    "shares-cap",
    "shares-cap-settling",
    "plan-battery-racks",
    "plan-cluster",
];
const SEAL_SIZE: usize = 48;

fn config() -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if config.rng_seed == RngSeed::Random && std::env::var_os("PROPTEST_CASES").is_none() {
        config.rng_seed = RngSeed::Fixed(1);
    }
    config
}

fn payload_of(name: &str) -> Vec<u8> {
    let bytes = fs::read(vector(&format!("{name}.tailc"))).expect("a vector is read");
    bytes[..bytes.len() - SEAL_SIZE].to_vec()
}

fn sealed(mut payload: Vec<u8>) -> Vec<u8> {
    let digest = Sha256::digest(&payload);
    let size = payload.len() as u64;
    payload.extend_from_slice(b"TLCSEAL1");
    payload.extend_from_slice(&size.to_le_bytes());
    payload.extend_from_slice(&digest);
    payload
}

/// Bytes that are likely to matter: edges of signs, sizes and offsets.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![select(vec![0, 1, 2, 4, 127, 128, 254, 255]), any::<u8>()]
}

/// Eight bytes in place of others: numbers at edges.
fn number() -> impl Strategy<Value = i64> {
    let edges = [0, 1, -1, 1_000_000, 1 << 20, 1 << 28, 1 << 43, 1 << 53, i64::MAX, i64::MIN];
    prop_oneof![select(edges.to_vec()), any::<i64>(), 0..100_i64]
}

fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let names = select(NAMES.to_vec());
    let bytes = prop::collection::vec((any::<Index>(), byte()), 0..3);
    let numbers = prop::collection::vec((any::<Index>(), number()), 0..4);
    (names, bytes, numbers).prop_map(|(name, bytes, numbers)| {
        let mut payload = payload_of(name);
        for (at, byte) in bytes {
            let at = at.index(payload.len());
            payload[at] = byte;
        }
        for (at, number) in numbers {
            let places = places_of_numbers(&payload);
            let at = places[at.index(places.len())];
            payload[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        payload
    })
}

/// Where eight bytes are a small number, as most fields are, and not two offsets.
fn places_of_numbers(payload: &[u8]) -> Vec<usize> {
    let words = payload.chunks_exact(8).enumerate();
    let is_small = |word: &[u8]| word[4..] == [0; 4] && word[..4] != [0; 4];
    words.filter(|(_, word)| is_small(word)).map(|(at, _)| 8 * at).collect()
}

fn ask(policy: &Policy, numbers: &[u64]) {
    for pair in numbers.windows(2) {
        policy.controller().map(|controller| controller.step(pair[0], pair[1]));
    }
    match policy.form() {
        Form::Ladders(ladders) => {
            for ladder in ladders {
                for three in numbers.windows(3) {
                    let answer = ladder.lookup(three[0], three[1], three[2]);
                    assert!(answer.rung < ladder.rungs().len());
                }
            }
        }
        Form::TailTable(table) => {
            for three in numbers.windows(3) {
                let level = table.level(three, three[0], three[1]).unwrap();
                assert!(level < table.frequencies_khz().len());
            }
        }
        Form::Shares(first) => {
            let mut shares = first.clone();
            for number in numbers {
                let throughput = vec![f64::from_bits(number >> 1); shares.served().len()];
                if let Ok(granted_ppm) = shares.tick(&throughput) {
                    assert!(granted_ppm.iter().all(|ppm| (0..=1_000_000).contains(ppm)));
                }
            }
        }
        Form::Plan(first) => {
            let mut plan = first.clone();
            for (at, number) in numbers.iter().enumerate() {
                let (epoch, job) = ((*number % 64) as usize, format!("job {at}"));
                let (count, width) =
                    (1 + (*number >> 8) as usize % 32, 1 + (*number >> 16) as i64 % 64);
                let _ = plan.admit(&job, epoch, count, width, (*number >> 24) as i64 % 1_000_001);
                let _ = plan.take(&job, epoch, count, width);
                let _ = plan.cheapest_width(epoch, &[(width, count), (width + 1, count)].into());
                let _ = plan.release(&job, epoch + 1);
                let unix_s = *number as i64;
                let _ =
                    (plan.stored(unix_s), plan.source(at, unix_s), plan.allocation(&job, unix_s));
            }
            assert!(plan.epochs().iter().enumerate().all(|(at, _)| plan.free(at).is_some()));
        }
        Form::BudgetTable(table) => {
            for pair in numbers.windows(2) {
                assert!(table.lookup(pair[0], pair[1]).tokens >= 0);
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(byte(), 0..300), magics in any::<(bool, bool)>()) {
        let mut bytes = bytes;
        let size = bytes.len();
        if magics.0 && size >= 96 {
            bytes[size - 96..size - 88].copy_from_slice(b"TLCSIGN1");
        }
        if magics.1 && size >= 48 {
            bytes[size - 48..size - 40].copy_from_slice(b"TLCSEAL1");
        }
        prop_assert!(Options::new().open_bytes(&bytes).is_err());
        prop_assert!(Options::new().open_bytes(&sealed(bytes)).is_err());
    }

    #[test]
    fn no_damage_panics_and_what_opens_answers(
        payload in damaged(),
        numbers in prop::collection::vec(prop_oneof![any::<u64>(), 0..1_000_000_u64], 3..12),
    ) {
        if let Ok(policy) = Options::new().open_bytes(&sealed(payload)) {
            ask(&policy, &numbers);
        }
    }

    #[test]
    fn no_damage_of_what_is_signed_is_trusted(at in any::<Index>(), bit in 0..8_u32) {
        let mut bytes = fs::read(vector("signed/good.tailc")).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        let pem = fs::read_to_string(vector("signed/test-key-1.pem")).unwrap();
        let options = Options::new().trust(PublicKey::from_pem(&pem).unwrap());
        prop_assert!(options.open_bytes(&bytes).is_err());
    }
}
