import { compareVersions } from '../binaries/version.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { Registry } from '../registry/registry.ts';

/** What is worth a `debug` event, found out beside the run so that it delays nothing. */
export async function* runNotes(
  registry: Registry,
  adapter: AgentAdapter,
  options: Pick<ResolvedRunOptions, 'invocation'>,
  askVersion: () => Promise<string | null>,
): AsyncGenerator<EventBody> {
  const { agent, displayName } = adapter;
  const replacedBy = registry.replacedBy(agent);
  if (replacedBy !== undefined) {
    yield {
      type: 'debug',
      level: 'warn',
      code: 'built_in_overridden',
      message: `the built-in agent "${agent}" was replaced by ${replacedBy}`,
    };
  }
  // The version here says nothing of the one that runs elsewhere.
  if (options.invocation.mode !== 'local') return;
  const { provenVersions, minVersion } = adapter;
  if (!provenVersions && minVersion === undefined) return;
  // Since the run was started another adapter may have taken its name.
  const version = registry.has(agent) && registry.get(agent) === adapter ? await askVersion() : null;
  if (version === null) return;
  if (minVersion !== undefined && compareVersions(version, minVersion) < 0) {
    yield {
      type: 'debug',
      level: 'warn',
      code: 'version_too_old',
      message: `${displayName} ${version} is older than ${minVersion}`,
    };
  } else if (provenVersions && !provenVersions.includes(version)) {
    const message = `this adapter was proven with ${displayName} ${provenVersions.join(', ')}; ${version} is installed. "amux verify ${agent}" checks it`;
    yield { type: 'debug', level: 'warn', code: 'version_not_proven', message };
  }
}
