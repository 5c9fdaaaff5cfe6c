import { spawnSync } from 'node:child_process';
import { compareVersions, parseVersion } from '@agent-mux/core';
import { agentSetups } from '@agent-mux/testkit';
import { findAdapter } from './adapters.ts';
import { type PinnedCli, pinnedCli } from './install.ts';
import type { Isolation } from './isolation.ts';
import { runNpm } from './npm.ts';

const VERSION_LIMIT_MS = 60_000;

/** What the npm registry reports about a package. */
export interface Published {
  versions: readonly string[];
  /** The version of its `latest` tag. */
  latest: string;
}

/** Resolves a version, a version prefix, `latest` or `previous` to a release of this CLI. */
export async function findRelease(cli: string, wanted: string): Promise<string> {
  const pinned = pinnedCli(cli);
  const printed = await runNpm(['view', pinned.package, 'versions', 'dist-tags.latest', '--json']);
  return chooseRelease(pinned, readPublished(printed), wanted);
}

/** What `npm view PACKAGE versions dist-tags.latest --json` prints; a list of one is printed as its only entry. */
export function readPublished(printed: string): Published {
  const { versions, 'dist-tags.latest': latest }: Record<string, unknown> = JSON.parse(printed);
  const list = [versions].flat();
  const isText = (value: unknown) => typeof value === 'string';
  if (!isText(latest) || !list.every(isText)) throw new Error(`npm view printed no versions: ${printed.slice(0, 300)}`);
  return { versions: list, latest };
}

export function chooseRelease(pinned: PinnedCli, { versions, latest }: Published, wanted: string): string {
  if (wanted === 'latest') return latest;
  if (versions.includes(wanted)) return wanted;
  // Versions with a dash are prereleases or platform builds.
  const releases = versions.filter((version) => !version.includes('-')).sort(compareVersions);
  const fits = (version: string) =>
    wanted === 'previous' ? compareVersions(version, pinned.version) < 0 : version.startsWith(`${wanted}.`);
  const found = releases.findLast(fits);
  if (found !== undefined) return found;
  const newest = releases.slice(-5).join(', ') || 'none';
  throw new Error(
    `${pinned.package} has no release "${wanted}" (VERSION, latest or previous); the newest are ${newest}`,
  );
}

/** The version that the CLI prints: some packages have other numbers, and some start a downloaded program. */
export function versionText(where: { agent: string; path: string; home: string; isolation: Isolation }): string | null {
  // An agent that is only reached has the version of the CLI that serves it.
  const adapter = findAdapter(agentSetups[where.agent]!.cli);
  if (!adapter) return null;
  const args = [...where.isolation.prefix, adapter.cliCommand, ...(adapter.versionArgs ?? ['--version'])];
  const { stdout, stderr } = spawnSync(args[0]!, args.slice(1), {
    env: { PATH: where.path, HOME: where.home },
    encoding: 'utf8',
    timeout: VERSION_LIMIT_MS,
  });
  return parseVersion(`${stdout}\n${stderr}`);
}
