#!/bin/sh
# Rolling upgrade in docker compose: a run begun under an older commit ends under this one, with the digest of `fit`.
#     benchmarks/drills/compose_upgrade.sh [COMMIT]
# Takes two images, a project of its own (which it deletes in the end), and the ports of docker-compose.yml or .env.
set -eu
commit=${1:-9ffed1a}
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
began=$(date +%s)
# Whose client is asked: it must be of the tables' version.
client=old

say() { printf '%6d  %s\n' $(($(date +%s) - began)) "$*"; }
# The new version's file and image, or the old one's.
new() { ${COMPOSE:-docker compose} --project-name disnplbm-upgrade --project-directory "$work/new" "$@"; }
old() { ${COMPOSE:-docker compose} --project-name disnplbm-upgrade --project-directory "$work/old" "$@"; }
quietly() { "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }
status() { $client run --rm --no-deps client disnplbm status "$run" --json 2> /dev/null; }
field() { sed -n "s/.*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p"; }
is() { [ "$(status | field state)" = "$1" ]; }
done_so_far() { status | field iterations_done; }
# Tried for ten minutes.
until_() {
    tries=300
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || { echo "not within ten minutes: $*" >&2; status >&2; exit 1; }
        sleep 2
    done
}
beyond() { at=$(done_so_far) && [ "${at:-0}" -ge "$1" ]; }
goes_on() {
    from=$(done_so_far)
    until_ beyond $((from + 20))
    say "the run goes on, from iteration $from to $at"
}

trap 'new --profile client down --volumes > /dev/null 2>&1; rm -rf "$work"' EXIT
mkdir "$work/old" "$work/new"
git -C "$here" archive "$commit" | tar -x -C "$work/old"
git -C "$here" archive HEAD | tar -x -C "$work/new"
for version in old new; do
    quietly docker build --tag "disnplbm:upgrade-$version" "$work/$version"
    sed -i "s/image: disnplbm:local/image: disnplbm:upgrade-$version/" "$work/$version/docker-compose.yml"
done
quietly make -C "$work/new" .env
cp "$work/new/.env" "$work/old/.env"

table="disnplbm generate --rows 2000 --columns 60 --row-clusters 8 --column-clusters 4 --seed 3 --output /tmp/table"
options="--iterations 2500 --seed 7 --sampler split-merge --shards 4"
began=$(date +%s)
quietly old up --detach --wait --scale worker=2
say "\$ docker compose up --detach --wait --scale worker=2         of commit $commit"
run=$(old run --rm --no-deps client sh -c "$table > /dev/null && disnplbm submit /tmp/table/x.npy $options --json" 2> /dev/null |
    field run)
say "a run of 2,500 iterations is submitted"
goes_on
quietly new run --rm --no-deps migrate
client=new
say "\$ docker compose run --rm --no-deps migrate                  of the new version"
goes_on
quietly new up --detach --no-deps --wait --scale worker=2 worker
say "\$ docker compose up --detach --no-deps --wait --scale worker=2 worker"
goes_on
quietly new up --detach --no-deps --wait master dashboard
say "\$ docker compose up --detach --no-deps --wait master dashboard"
goes_on
quietly new up --detach --wait --scale worker=2
say "\$ docker compose up --detach --wait --scale worker=2         and all else that changed"
is RUNNING || { echo "the run was over before the upgrade was" >&2; exit 1; }
until_ is SUCCEEDED
found=$(new run --rm --no-deps client sh -c "disnplbm download $run --output /tmp/run > /dev/null && cat /tmp/run/run.json" \
    2> /dev/null | field digest)
say "the run ends with digest $(printf %.12s "$found")"
expected=$(new run --rm --no-deps client sh -c "$table > /dev/null &&
    disnplbm fit /tmp/table/x.npy $options --output /tmp/fit > /dev/null && cat /tmp/fit/run.json" 2> /dev/null | field digest)
say "fit of the new version ends with digest $(printf %.12s "$expected")"
[ "$found" = "$expected" ]
