//! What may be asked of a policy before it is opened.

use tailc_runtime::{Options, PublicKey, RefusedReload};

use super::{opened, vector, word};

// An Ed25519 key of RFC 8032, section 7.1, test 1, as `openssl pkey -pubout` writes it.
const PEM: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
";

#[test]
fn a_key_is_read_as_openssl_writes_it() {
    PublicKey::from_pem(PEM).unwrap();
    PublicKey::from_pem(&PEM.replace('\n', "\r\n")).unwrap();
}

#[test]
fn what_is_no_key_is_an_invalid_argument() {
    let body = "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    let (other_curve, longer) = (PEM.replace("K2Vw", "K2Vv"), PEM.replace("AyEA", "AyEAAAAA"));
    let (no_digit, cut) = (PEM.replace("K2Vw", "K2V-"), PEM.replace("HURo=", "HURo"));
    for text in
        ["", body, &PEM[..80], &PEM.replace("AyEA", "Ay"), &other_curve, &longer, &no_digit, &cut]
    {
        assert_eq!(word(PublicKey::from_pem(text)), "invalid-argument", "{text}");
    }
}

#[test]
fn only_the_one_layout_is_a_key() {
    PublicKey::from_pem(PEM.trim_end()).unwrap();
    let changes = [("-----BEGIN", "\n-----BEGIN"), ("=\n", "= \n"), ("AyEA", "AyEA\n"), ("\n", "")];
    for (old, new) in changes.into_iter().chain([("KEY-----\n", "KEY-----\n\n"), ("Ro=", "Rp=")]) {
        let text = PEM.replace(old, new);
        assert_eq!(word(PublicKey::from_pem(&text)), "invalid-argument", "{text}");
    }
}

/// The y of 0, 1, both of order 8, -1, and of the prime and 3 above it; some with the sign.
#[test]
fn a_point_that_anybody_can_sign_for_is_no_key() {
    for point in [
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
        "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=",
        "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o=",
        "7P///////////////////////////////////////38=",
        "7f///////////////////////////////////////38=",
        "8P////////////////////////////////////////8=",
    ] {
        let text = PEM.replace("11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", point);
        assert_eq!(word(PublicKey::from_pem(&text)), "invalid-argument", "{text}");
    }
}

#[test]
fn the_same_generation_takes_the_place_and_goes_on_counting() {
    let held = opened("lucene.tailc");
    let same = Options::new().replacing(&held).open(vector("lucene.tailc")).unwrap();
    same.ladder().unwrap().lookup(1_000_000, 0, 0);
    assert_eq!(held.counters().outside(), 1);
    assert_eq!(held.counters().refused_reloads(), 0);
}

#[test]
fn what_does_not_take_the_place_is_counted() {
    let held = opened("signed/unsigned.tailc");
    let replacing = Options::new().replacing(&held);
    assert!(held.generation() > 1);
    assert_eq!(word(replacing.open(vector("smallest.tailc"))), "older-generation");
    assert_eq!(word(replacing.open(vector("refused/bit-flip.tailc"))), "hash-mismatch");
    assert_eq!(word(replacing.open_bytes(b"no policy")), "truncated");
    assert_eq!(
        word(replacing.clone().service("search").open(vector("signed/good.tailc"))),
        "other-service"
    );
    assert_eq!(word(replacing.open("missing.tailc")), "unreadable");
    assert_eq!(held.counters().refused_reloads(), 5);
    let RefusedReload { name, why } = held.counters().last_refusal().unwrap();
    assert_eq!(name, "unreadable");
    assert!(why.starts_with("missing.tailc: "), "{why}");
}

#[test]
fn a_refusal_tells_the_file_and_why() {
    let error = Options::new().service("search").open(vector("smallest.tailc")).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("other-service: "), "{said}");
    assert!(said.ends_with("smallest.tailc: the policy is for `smallest`"), "{said}");
}

#[cfg(feature = "signatures")]
#[test]
fn a_signature_holds_before_its_end_by_the_clock_of_the_system() {
    let pem = std::fs::read_to_string(vector("signed/test-key-1.pem")).unwrap();
    let trusting = Options::new().trust(PublicKey::from_pem(&pem).unwrap());
    trusting.open(vector("signed/expiring-9999.tailc")).unwrap();
    assert_eq!(
        word(trusting.now_s(u64::MAX).open(vector("signed/expiring-9999.tailc"))),
        "expired"
    );
}
