//! A reader that cannot check signatures trusts nothing, and opens nothing silently.

#![cfg(not(feature = "signatures"))]

use tailc_runtime::{Options, PublicKey, Refusal};

// The key of RFC 8032, section 7.1, test 1.
const PEM: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
";

fn refusal(options: &Options, name: &str) -> Option<Refusal> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/vectors/v1/signed/");
    let error = options.open(format!("{folder}{name}.tailc")).err()?;
    error.refusal()
}

#[test]
fn whatever_is_signed_is_refused_where_a_key_is_trusted() {
    let trusting = Options::new().trust(PublicKey::from_pem(PEM).unwrap());
    assert_eq!(refusal(&trusting, "good"), Some(Refusal::NoSignatures));
    assert_eq!(refusal(&trusting, "unsigned"), Some(Refusal::NoSignatures));
}

#[test]
fn damage_is_told_first() {
    let trusting = Options::new().trust(PublicKey::from_pem(PEM).unwrap());
    assert_eq!(refusal(&trusting, "payload-flip"), Some(Refusal::HashMismatch));
}

#[test]
fn where_no_key_is_trusted_nothing_is_asked() {
    assert_eq!(refusal(&Options::new(), "good"), None);
    assert_eq!(refusal(&Options::new(), "check-flip"), Some(Refusal::HashMismatch));
}
