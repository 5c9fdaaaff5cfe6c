import { type AgentQuery, CapabilityError, type PluginListing, type PluginSearchOptions } from '@agent-mux/core';
import { records, word } from './json.ts';

const NPM = 'npm';
/** Maximum number of results per request. */
const MAX_RESULTS = 250;
const RESULTS = 20;

/**
 * A search with the user's own npm, in its configured registry. `marks`: keywords or words of every plugin of the
 * agent.
 */
export function npmSearch(
  agent: string,
  marks: readonly string[],
  query: string,
  { registry = NPM, limit = RESULTS, page = 1 }: PluginSearchOptions,
): AgentQuery<PluginListing[]> {
  if (registry !== NPM) throw new CapabilityError(agent, 'registry', `plugins of ${agent} are searched in npm only`);
  const words = query.split(/\s+/).filter((one) => one !== '');
  return {
    command: NPM,
    args: ['search', '--json', `--searchlimit=${Math.min(limit * page, MAX_RESULTS)}`, '--', ...marks, ...words],
    parse({ stdout, exitCode }) {
      const found: unknown = JSON.parse(stdout);
      if (exitCode !== 0 || !Array.isArray(found)) throw new Error('the npm search failed');
      return records(found)
        .flatMap(listingOf)
        .slice((page - 1) * limit, page * limit);
    },
  };
}

function listingOf(one: Record<string, unknown>): PluginListing[] {
  const id = word(one.name);
  const [version, description] = [word(one.version), word(one.description)];
  if (!id) return [];
  return [{ id, ...(version ? { version } : {}), ...(description ? { description } : {}), registry: NPM }];
}
