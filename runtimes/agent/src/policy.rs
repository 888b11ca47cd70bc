//! The policy in force, and the keys that it must be signed with.

use std::path::{Path, PathBuf};

use tailc_runtime::{Error, Options, PublicKey, Watched};

use crate::fault::{Exit, Fault};

/// The policy in a file, and its successors.
pub fn watched(path: &Path, keys: &[PathBuf], service: Option<&str>) -> Result<Watched, Fault> {
    let mut options = Options::new();
    for key in keys {
        let text = Fault::text_of(key)?;
        let key = PublicKey::from_pem(&text).map_err(|why| {
            let what = format!("`{}` is no key: {why}", key.display());
            Fault::new(Exit::BadContent, what, "`openssl pkey -pubout` writes a public key")
        })?;
        options = options.trust(key);
    }
    if let Some(name) = service {
        options = options.service(name);
    }
    Watched::open(path, options).map_err(|why| refused(&why))
}

fn refused(why: &Error) -> Fault {
    let exit = if matches!(why, Error::Io(..)) { Exit::CannotRead } else { Exit::Integrity };
    let help = match why.refusal().map_or("", |refusal| refusal.name()) {
        "unsigned" | "unknown-key" | "bad-signature" | "expired" => {
            "`tailc sign` signs a policy; `--trust` names the public keys that are accepted"
        }
        "unknown-form" => "the agent has no kind for this form of policy",
        "other-service" => "give the policy of this service, or another `--service`",
        _ => "give the `.tailc` file that `tailc compile` writes",
    };
    Fault::new(exit, format!("the policy is refused: {why}"), help)
}
