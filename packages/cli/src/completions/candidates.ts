import type { Command, Flag } from '../command.ts';
import { COMMANDS } from '../command-table.ts';
import { flagsOf } from '../parse-flags.ts';
import { accepts, type Subcommand } from '../subcommands.ts';
import { FILES } from './scripts.ts';

export interface Candidate {
  word: string;
  about: string;
}

/** Names known only on this machine; queried only when needed. */
export interface Names {
  agents(): Promise<readonly string[]>;
  profiles(): Promise<readonly string[]>;
  /** Sessions of a running daemon. */
  sessions(): Promise<readonly Candidate[]>;
  /** Schedules of a running daemon. */
  schedules(): Promise<readonly Candidate[]>;
  /** Notification targets of a running daemon. */
  targets(): Promise<readonly Candidate[]>;
}

/** Completions at the cursor. `written` has the arguments after `amux`; the last one is incomplete. */
export async function candidatesFor(written: readonly string[], names: Names): Promise<Candidate[]> {
  const args = joinFlagValues(written);
  const current = args.at(-1) ?? '';
  const all = await listCandidates(args, current, names);
  return all.filter(({ word }) => word === FILES || word.startsWith(current));
}

async function listCandidates(args: readonly string[], current: string, names: Names): Promise<Candidate[]> {
  const [name = '', ...rest] = args;
  if (args.length <= 1) return [...listCommands(), plain('help'), plain('--help'), plain('--version')];
  if (name === 'help') return args.length === 2 ? listCommands() : [];
  const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.load() : undefined;
  if (!command) return [];
  const { before, open, action, used } = parseArguments(command, rest.slice(0, -1));
  if (before.includes('--')) return [];
  if (open) return valuesOf(open[0], open[1], current, names);
  const inline = /^--([\w-]+)=(.*)$/s.exec(current);
  if (inline?.[1] !== undefined) {
    const flag = flagsOf(command)[inline[1]];
    if (flag?.type !== 'string') return [];
    const values = await valuesOf(inline[1], flag, inline[2] ?? '', names);
    return values.map(({ word, about }) => ({ word: word === FILES ? word : `--${inline[1]}=${word}`, about }));
  }
  if (current.startsWith('-')) return listFlags(command, action, used);
  if (command.actions && !action) {
    const actions = Object.entries(command.actions).map(([word, { about }]) => ({ word, about }));
    // `amux auth claude`: if the subcommand can be omitted, an agent may be completed too.
    return /agent/i.test(command.usage) ? [...actions, ...(await names.agents()).map(plain)] : actions;
  }
  return listArguments({ name, command, action }, { at: before.length - (action ? 1 : 0), current }, names);
}

/** bash splits `--flag=value` at the `=`: the last arguments are then `--flag`, `=` and the partial value. */
function joinFlagValues(args: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    // bash completes only the part after the `=`, so the flag stays a separate argument.
    if (word === '=' && out.at(-1)?.startsWith('--')) {
      if (at === args.length - 1) out.push('');
    } else out.push(word);
  }
  return out;
}

interface Parsed {
  /** Positional arguments. */
  before: string[];
  /** The flag whose value comes next. */
  open?: [string, Flag];
  action?: Subcommand;
  used: Set<string>;
}

function parseArguments(command: Command, args: readonly string[]): Parsed {
  const table = Object.entries(flagsOf(command));
  const before: string[] = [];
  const used = new Set<string>();
  let open: [string, Flag] | undefined;
  for (const word of args) {
    if (open) {
      open = undefined;
      continue;
    }
    const found = table.find(([name, { short }]) => word.split('=')[0] === `--${name}` || word === `-${short}`);
    if (!found) before.push(word);
    else {
      used.add(found[0]);
      if (found[1].type === 'string' && !word.includes('=')) open = found;
    }
  }
  const first = before[0];
  const action =
    first !== undefined && Object.hasOwn(command.actions ?? {}, first) ? command.actions?.[first] : undefined;
  return { before, used, ...(open ? { open } : {}), ...(action ? { action } : {}) };
}

function listFlags(command: Command, action: Subcommand | undefined, used: ReadonlySet<string>): Candidate[] {
  return Object.entries(flagsOf(command))
    .filter(([name, { multiple }]) => (!used.has(name) || multiple) && (!action || accepts(action, name)))
    .map(([name, { help }]) => ({ word: `--${name}`, about: help }));
}

/** Completes by the placeholders of the usage line: AGENT, [agent...], FILE, NAME. */
async function listArguments(
  { name, command, action }: { name: string; command: Command; action: Subcommand | undefined },
  { at, current }: { at: number; current: string },
  names: Names,
): Promise<Candidate[]> {
  const usage = action ? action.usage : command.usage.split(' ').slice(2).join(' ');
  const slots = usage
    .replace(/\[-[^\]]*\]/g, '')
    .split(' ')
    .filter((slot) => slot !== '' && !slot.startsWith('-'));
  const slot = slots[at] ?? (slots.at(-1)?.includes('...') ? slots.at(-1) : undefined);
  if (slot === undefined) return [];
  if (COMMANDS[name]?.group === 'Background sessions' && /^ID(\.\.\.)?$/.test(slot))
    return [...(await names.sessions())];
  if (/^SCHEDULE(\.\.\.)?$/.test(slot)) return [...(await names.schedules())];
  if (name === 'notify' && slot === '[TARGET]') return [...(await names.targets())];
  if (/agent/i.test(slot)) return (await names.agents()).map(plain);
  if (name === 'profiles' && slot === 'NAME') return (await names.profiles()).map(plain);
  if (name === 'completion') return slot.split('|').map(plain);
  return /FILE|FOLDER|PATH|DIR/.test(slot) || /[/.~]/.test(current) ? [plain(FILES)] : [];
}

async function valuesOf(name: string, flag: Flag, current: string, names: Names): Promise<Candidate[]> {
  if (flag.values) return flag.values.map(plain);
  if (name === 'profile') return (await names.profiles()).map(plain);
  if (/FILE|DIR|PATH/.test(flag.value ?? '')) return [plain(FILES)];
  if (name !== 'agent') return [];
  const agents = await names.agents();
  if (!flag.multiple && !flag.value?.includes(',')) return agents.map(plain);
  const chosen = current.split(',').slice(0, -1);
  return agents.filter((agent) => !chosen.includes(agent)).map((agent) => plain([...chosen, agent].join(',')));
}

function listCommands(): Candidate[] {
  return Object.entries(COMMANDS).map(([word, { summary }]) => ({ word, about: summary }));
}

function plain(word: string): Candidate {
  return { word, about: '' };
}
