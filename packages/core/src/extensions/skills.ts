import { resolve } from 'node:path';
import type { AgentAdapter } from '../contract/adapter.ts';
import { CapabilityError, ValidationError } from '../contract/errors.ts';
import {
  type AddedSkill,
  type AgentSkills,
  EXTENSION_KINDS,
  EXTENSION_SCOPES,
  type ExtensionKind,
  type ExtensionLocation,
  type ExtensionScope,
  type InstalledSkill,
  type SkillAddOptions,
  type SkillSelection,
} from '../contract/skills.ts';
import type { Registry } from '../registry/registry.ts';
import { suggestNames } from '../suggest-names.ts';
import { isExtensionName } from './front-matter.ts';
import {
  describeProblem,
  exists,
  installSkill,
  isSameLocation,
  looksLike,
  nameOf,
  readLocation,
  readSource,
  removeInstalled,
  type SkillSource,
} from './install-skill.ts';
import { assertStaysInProject, locationOf, pathIn } from './locations.ts';

interface Where {
  kind: ExtensionKind;
  scope: ExtensionScope;
  cwd: string;
  agents?: readonly string[];
}

export class Skills implements AgentSkills {
  readonly #adapters: Registry;
  readonly #env: NodeJS.ProcessEnv;

  constructor(context: { adapters: Registry; env: NodeJS.ProcessEnv }) {
    this.#adapters = context.adapters;
    this.#env = context.env;
  }

  locations({ agents, kind, scope, cwd = process.cwd() }: SkillSelection = {}): ExtensionLocation[] {
    return this.#named(agents).flatMap((adapter) =>
      (kind ? [kind] : EXTENSION_KINDS).flatMap((each) =>
        (scope ? [scope] : EXTENSION_SCOPES).flatMap(
          (where) => locationOf(adapter, each, where, { cwd, env: this.#env }) ?? [],
        ),
      ),
    );
  }

  async list(selection: SkillSelection = {}): Promise<InstalledSkill[]> {
    const found = (await Promise.all(this.locations(selection).map(readLocation))).flat();
    // In the home folder the user's skills are also the project's.
    const first = new Map(found.toReversed().map((each) => [`${each.agent}\n${each.path}`, each]));
    return found.filter((each) => first.get(`${each.agent}\n${each.path}`) === each);
  }

  async add(source: string, options: SkillAddOptions = {}): Promise<AddedSkill[]> {
    const where = whereOf(options);
    const found = await readSourceAt(resolve(where.cwd, source), where.kind);
    const name = options.name ?? found.name;
    if (!isExtensionName(name)) throw refusal(`"${name}" is not a name of letters, digits, ".", "_" and "-"`);
    const locations = await this.#locationsToWrite(where);
    const states = new Map<string, AddedSkill['status']>();
    for (const location of locations) {
      const path = pathIn(location, name);
      await assertStaysInProject(location, where.cwd);
      states.set(path, await judgePlace(found, path, options.force ?? false));
    }
    for (const [path, status] of states) {
      if (status !== 'unchanged') await installSkill(found, { name, path, replace: status === 'replaced' });
    }
    return locations.map(({ agent, kind, scope, folder }) => {
      const path = pathIn({ agent, kind, scope, folder }, name);
      return { agent, kind, scope, name, description: found.description, path, status: states.get(path) ?? 'added' };
    });
  }

  async remove(name: string, options: SkillSelection = {}): Promise<InstalledSkill[]> {
    const where = whereOf(options);
    if (!isExtensionName(name)) throw refusal(`"${name}" is not a name of a ${where.kind}`);
    const locations = where.agents
      ? this.#named(where.agents).map((adapter) => this.#placeIn(adapter, where))
      : this.locations(where);
    const listed = (await Promise.all(locations.map(readLocation))).flat();
    const byPath = listed.filter(({ path }) => nameOf(path) === name);
    const gone = byPath.length > 0 ? byPath : listed.filter((each) => each.name === name);
    if (gone.length === 0) throw await this.#describeMissing(name, where, listed);
    for (const location of locations) await assertStaysInProject(location, where.cwd);
    for (const path of new Set(gone.map((each) => each.path))) await removeInstalled(path);
    return gone;
  }

  async #locationsToWrite(where: Where): Promise<ExtensionLocation[]> {
    if (where.agents) return this.#named(where.agents).map((adapter) => this.#placeIn(adapter, where));
    const locations = this.locations(where);
    const binaries = await Promise.all(locations.map(({ agent }) => this.#adapters.lookup(agent).catch(() => null)));
    const installed = locations.filter((_, index) => binaries[index] !== null);
    if (installed.length > 0) return installed;
    const able = locations.map(({ agent }) => agent).join(', ');
    const hint = able ? `choose an agent: ${able}` : 'no known agent supports it';
    throw refusal(`no installed agent supports a ${where.scope} ${where.kind}`, hint);
  }

  #placeIn(adapter: AgentAdapter, { kind, scope, cwd }: Where): ExtensionLocation {
    const location = locationOf(adapter, kind, scope, { cwd, env: this.#env });
    if (location) return location;
    const able = this.locations({ kind, scope, cwd }).map(({ agent }) => agent);
    const message = `the ${scope} ${kind} folder of ${adapter.displayName} is unknown`;
    const hint = able.length > 0 ? `agents that have one: ${able.join(', ')}` : 'no known agent has one';
    throw new CapabilityError(adapter.agent, 'extensionFolders', message, hint);
  }

  #named(agents: readonly string[] | undefined): AgentAdapter[] {
    const names = agents ?? this.#adapters.list().map(({ agent }) => agent);
    return [...new Set(names)].map((agent) => this.#adapters.get(agent));
  }

  async #describeMissing(name: string, where: Where, listed: readonly InstalledSkill[]): Promise<ValidationError> {
    const { kind, scope, ...rest } = where;
    const other = (await this.list(rest)).find(({ path }) => nameOf(path) === name);
    const near = suggestNames(name, [...new Set(listed.map((each) => each.name))]);
    const hint = other
      ? `a ${other.scope} ${other.kind} of that name exists: ${other.path}`
      : near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : undefined;
    return refusal(`${scope} ${kind} "${name}" not found`, hint);
  }
}

function whereOf({ agents, kind = 'skill', scope = 'global', cwd = process.cwd() }: SkillSelection): Where {
  return { kind, scope, cwd: resolve(cwd), ...(agents && agents.length > 0 ? { agents } : {}) };
}

async function readSourceAt(path: string, kind: ExtensionKind): Promise<SkillSource> {
  try {
    return await readSource(path, kind);
  } catch (error) {
    throw refusal(`${path} is not a valid ${kind}: ${describeProblem(error)}`);
  }
}

async function judgePlace(source: SkillSource, path: string, force: boolean): Promise<AddedSkill['status']> {
  if (!(await exists(path))) return 'added';
  if (await isSameLocation(source.path, path)) return 'unchanged';
  if (!force) throw refusal(`${path} already exists`, 'use force to replace it, or choose another name');
  if (await looksLike(source.kind, path)) return 'replaced';
  throw refusal(`${path} exists but is not a ${source.kind}; it is not replaced`);
}

function refusal(problem: string, hint?: string): ValidationError {
  return new ValidationError('skills', [{ field: '', problem }], { hint });
}
