import { spawnSync } from 'node:child_process';
import { compareVersions, parseVersion } from '@agent-mux/core';
import { agentProofs } from '@agent-mux/testkit';
import { findAdapter } from './adapters.ts';
import { type PinnedCli, pinnedCli } from './install.ts';
import type { Isolation } from './isolation.ts';
import { runNpm } from './npm.ts';

const VERSION_LIMIT_MS = 60_000;

/** What the registry tells of a package. */
export interface Published {
  versions: readonly string[];
  /** What its `latest` tag names: what people get who name no version. */
  latest: string;
}

/** The release of this CLI that is meant by a version or its beginning, `latest`, or `previous`. */
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
  if (!isText(latest) || !list.every(isText)) throw new Error(`npm view told no versions: ${printed.slice(0, 300)}`);
  return { versions: list, latest };
}

export function chooseRelease(pinned: PinnedCli, { versions, latest }: Published, wanted: string): string {
  if (wanted === 'latest') return latest;
  if (versions.includes(wanted)) return wanted;
  // With a dash: a prerelease, or what a package publishes for one platform alone.
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

/** What the CLI itself says: some packages are numbered otherwise, and some start what they have downloaded. */
export function tellVersion(where: { agent: string; path: string; home: string; isolation: Isolation }): string | null {
  // An agent that is reached and not started is known by the CLI that serves it.
  const adapter = findAdapter(agentProofs[where.agent]!.cli);
  if (!adapter) return null;
  const args = [...where.isolation.prefix, adapter.cliCommand, ...(adapter.versionArgs ?? ['--version'])];
  const { stdout, stderr } = spawnSync(args[0]!, args.slice(1), {
    env: { PATH: where.path, HOME: where.home },
    encoding: 'utf8',
    timeout: VERSION_LIMIT_MS,
  });
  return parseVersion(`${stdout}\n${stderr}`);
}
