#!/bin/sh
# Compiles a policy, judges it on held-out requests, says what changes since the last release, and
# releases it where it has changed and holds: a commit of its files, tagged policy-GENERATION. For
# any system that runs commands; policy.yml does the same in steps of GitHub Actions.
#
#   SPEC=policies/search.yaml STEM=policies/search HELD_OUT='--trace policies/heldout.parquet' \
#     sh nightly.sh [FORMAT:EXTENSION...]
#
# Each FORMAT of --output-format goes to out/compile.EXTENSION, out/verify.EXTENSION and
# out/diff.EXTENSION. RELEASE=no only judges. BRANCH is where a release is pushed, by default the one
# that is checked out; KEY a file with a key to sign with.
#
# Exits 0 where the policy is released or unchanged, 1 where it misses an objective or exceeds a
# budget of the spec, 4 where the data cannot decide; else as `tailc compile` does: 6, 7, 65, 66.
set -eu

formats=$*
tag=$(git tag --list 'policy-*' --sort=-version:refname | head -n 1)
mkdir -p out

told_in() {
  for format in $formats; do
    printf ' --output-format %s:out/%s.%s' "${format%%:*}" "$1" "${format#*:}"
  done
}

tailc compile "$SPEC" -o "$STEM" ${tag:+--previous "git:$tag:$STEM.tailc"} $(told_in compile)
# JSON is never signed: where it is as released, so is the policy.
if [ -n "$tag" ] && git diff --quiet "$tag" -- "$STEM.json"; then
  git checkout --quiet "$tag" -- "$STEM.tailc"
  echo "unchanged since $tag"
  exit 0
fi

judged=0
tailc verify "$STEM.tailc" $HELD_OUT $(told_in verify) || judged=$?
if [ -n "$tag" ]; then
  differs=0
  tailc diff "git:$tag:$STEM.tailc" "$STEM.tailc" $HELD_OUT --budgets "$SPEC" --exit-code \
    $(told_in diff) || differs=$?
  # 2: the policies differ, as they should.
  [ $differs = 0 ] || [ $differs = 2 ] || exit $differs
fi
[ $judged = 0 ] || exit $judged
[ "${RELEASE:-yes}" != no ] || exit 0

if [ -n "${KEY:-}" ]; then tailc sign "$STEM" --key "$KEY"; fi
generation=$(tailc inspect "$STEM.tailc" --output-format json |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["result"]["policy"]["generation"])')
git add "$STEM.json" "$STEM.tailc"
git -c user.name=tailc -c user.email=tailc@localhost commit --quiet \
  --message "Release generation $generation of $STEM"
git tag "policy-$generation"
git push --quiet origin "HEAD:${BRANCH:-$(git rev-parse --abbrev-ref HEAD)}" "policy-$generation"
echo "released policy-$generation"
