import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { AgentConfigSchema, ConfigChangeResult, ConfigFinding } from '@agent-mux/core';
import { type Command, hasFlag, JSON_FLAG, type ParsedArgs, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import type { ConfigSchemaDocument } from '../json/documents.ts';
import { SCOPE_FLAGS, scopeOf } from '../native-config/scope-flags.ts';
import { readTypedValue, readValueText } from '../native-config/value.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { escapeUnprintable, toOneLine } from '../screen/plain.ts';
import { defineSubcommands } from '../subcommands.ts';

const WRITE_FLAGS = ['global', 'project', 'native', 'dry-run'];

export const config: Command = defineSubcommands({
  name: 'config',
  description:
    "Reads and edits an agent's own configuration files. Comments and unrelated settings are\n" +
    'preserved; files that cannot be parsed are not written.',
  flags: {
    ...SCOPE_FLAGS,
    native: { type: 'boolean', help: 'FIELD is a path in the native file: a.b or a."b.c".d' },
    'show-secrets': { type: 'boolean', help: 'Do not mask keys and tokens' },
    'json-value': { type: 'boolean', help: 'VALUE is JSON' },
    'dry-run': { type: 'boolean', help: 'Check everything, write nothing' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  actions: {
    get: {
      usage: 'AGENT [FIELD] [--global|--project] [--native] [--show-secrets]',
      about: 'Print the effective value; exits 1 if not set',
      minArgs: 1,
      maxArgs: 2,
      flags: ['global', 'project', 'native', 'show-secrets'],
      run: get,
    },
    set: {
      usage: 'AGENT FIELD VALUE [--project] [--native] [--json-value] [--dry-run]',
      about: 'Set a field; VALUE - reads stdin',
      minArgs: 3,
      maxArgs: 3,
      flags: [...WRITE_FLAGS, 'json-value'],
      run: set,
    },
    unset: {
      usage: 'AGENT FIELD [--project] [--native] [--dry-run]',
      about: 'Remove a field',
      minArgs: 2,
      maxArgs: 2,
      flags: WRITE_FLAGS,
      run: unset,
    },
    schema: { usage: 'AGENT', about: 'List the known fields', minArgs: 1, maxArgs: 1, flags: [], run: schema },
    validate: {
      usage: '[AGENT...] [--global|--project]',
      about: 'Report errors with file and line; exits 1 if any',
      maxArgs: Number.POSITIVE_INFINITY,
      flags: ['global', 'project'],
      run: validate,
    },
    path: {
      usage: 'AGENT [--global|--project]',
      about: 'List the files in order of precedence',
      minArgs: 1,
      maxArgs: 1,
      flags: ['global', 'project'],
      run: path,
    },
  },
  examples: [
    { command: 'amux config get claude', about: 'Print all settings' },
    { command: 'amux config get codex model', about: 'Print one value' },
    { command: 'amux config set gemini model gemini-2.5-pro', about: 'Set a value in your user file' },
    {
      command: 'amux config set claude allowedTools "Read,Bash(git *)" --project',
      about: 'Set a list in the project file',
    },
    {
      command: 'amux config set codex --native features.web_search true --json-value',
      about: 'Set any key of the native file',
    },
    { command: 'amux config set gemini maxSessionTurns -- -1', about: 'Pass a value that starts with -' },
    { command: 'amux config validate', about: 'Check the files of all agents' },
  ],
  notes: [
    'Project values override user values. set and unset edit the user file unless --project is given.',
    'Before the first change, a file is copied to $XDG_STATE_HOME/agent-mux/backups',
    '(~/.local/state/...). Keys and tokens are shown as ******** unless --show-secrets is given.',
  ],
});

function get(args: ParsedArgs): Promise<number> {
  const [agent = '', field] = args.positionals;
  return withClient(args, async (client) => {
    client.adapterNamed(agent);
    const reading = await client.config.get(agent, {
      ...scopeOf(args),
      ...(field === undefined ? {} : { names: [field] }),
      native: hasFlag(args, 'native'),
      showSecrets: hasFlag(args, 'show-secrets'),
    });
    const missing = field !== undefined && !Object.hasOwn(reading.values, field);
    if (hasFlag(args, 'json')) {
      printJson<'config get'>(reading);
      return missing ? EXIT.failure : EXIT.ok;
    }
    if (missing) {
      process.stderr.write(`${toOneLine(field, 200)} is not set\n`);
      return EXIT.failure;
    }
    if (field !== undefined) return print(formatValue(reading.values[field]));
    const rows = Object.entries(reading.values).map(([name, value]) => [
      name,
      toOneLine(formatValue(value), 200),
      reading.sources[name] ?? '',
    ]);
    if (rows.length === 0) return print(`no settings in ${(await client.config.files(agent))[0]?.path ?? ''}`);
    const { dim } = paint(process.stdout);
    return print(
      addHead([['FIELD', 'VALUE', 'FILE'], ...rows], (cell, _, column) => (column === 2 ? dim(cell) : cell)),
    );
  });
}

function set(args: ParsedArgs): Promise<number> {
  const [agent = '', field = '', word = ''] = args.positionals;
  return withClient(args, async (client) => {
    client.adapterNamed(agent);
    const known = client.config.schema(agent).fields.find(({ name }) => name === field);
    const value = readTypedValue(
      await readValueText(word),
      hasFlag(args, 'native') ? undefined : known,
      hasFlag(args, 'json-value'),
    );
    return report(args, await client.config.set(agent, { [field]: value }, writeOptions(args)));
  });
}

function unset(args: ParsedArgs): Promise<number> {
  const [agent = '', field = ''] = args.positionals;
  return withClient(args, async (client) => {
    client.adapterNamed(agent);
    return report(args, await client.config.unset(agent, [field], writeOptions(args)));
  });
}

function schema(args: ParsedArgs): Promise<number> {
  const [agent = ''] = args.positionals;
  return withClient(args, (client) => {
    client.adapterNamed(agent);
    const known = client.config.schema(agent);
    if (hasFlag(args, 'json')) return printJson<'config schema'>(asDocument(known));
    const rows = known.fields.map(({ name, type, values, nativePath, description, secret }) => [
      name,
      type,
      nativePath ?? name,
      `${description}${values ? `: ${values.join(', ')}` : ''}${secret ? ' (secret)' : ''}`,
    ]);
    return print(addHead([['FIELD', 'TYPE', 'NATIVE PATH', 'DESCRIPTION'], ...rows]));
  });
}

function validate(args: ParsedArgs): Promise<number> {
  return withClient(args, async (client) => {
    for (const agent of args.positionals) client.adapterNamed(agent);
    const agents = args.positionals.length > 0 ? args.positionals : listFiles(client);
    const findings = (await Promise.all(agents.map((agent) => client.config.validate(agent, scopeOf(args))))).flat();
    if (hasFlag(args, 'json')) printJson<'config validate'>({ findings });
    else if (findings.length === 0) print(`${paint(process.stdout).green('✓')} no problems found`);
    else print(findings.map(findingLine).join('\n'));
    return findings.length === 0 ? EXIT.ok : EXIT.failure;
  });
}

function path(args: ParsedArgs): Promise<number> {
  const [agent = ''] = args.positionals;
  return withClient(args, async (client) => {
    client.adapterNamed(agent);
    const files = await client.config.files(agent, scopeOf(args));
    if (hasFlag(args, 'json')) return printJson<'config path'>({ agent, files });
    const rows = files.map(({ path: file, scope, exists, written }) => [
      file,
      scope,
      exists ? 'yes' : 'no',
      written ? 'new values are written here' : '',
    ]);
    return print(addHead([['FILE', 'SCOPE', 'EXISTS', ''], ...rows]));
  });
}

function writeOptions(args: ParsedArgs) {
  return { ...scopeOf(args), native: hasFlag(args, 'native'), dryRun: hasFlag(args, 'dry-run') };
}

function report(args: ParsedArgs, result: ConfigChangeResult): number {
  if (hasFlag(args, 'json')) return printJson<'config set' | 'config unset'>(result);
  const { green, yellow, dim } = paint(process.stdout);
  const would = hasFlag(args, 'dry-run') ? 'would be ' : '';
  const lines = result.files.flatMap(({ file, changed, created, backup }) => [
    changed
      ? `${green('✓')} ${would}${created ? 'created' : 'changed'}: ${escapeUnprintable(file)} ${dim(`(${result.scope})`)}`
      : `${green('✓')} ${escapeUnprintable(file)} is unchanged`,
    ...(backup ? [dim(`  backup: ${backup}`)] : []),
  ]);
  if (lines.length === 0) lines.push('not set');
  for (const { name, file } of result.overruled) {
    lines.push(`${yellow('!')} ${name} has no effect in this folder: ${escapeUnprintable(file)} overrides it`);
  }
  return print(lines.join('\n'));
}

function findingLine({ agent, file, line, column, field, problem }: ConfigFinding): string {
  const { yellow } = paint(process.stdout);
  const location = line === undefined ? file : `${file}:${line}:${column}`;
  return `${yellow(agent)} ${toOneLine(`${location}: ${field === undefined ? '' : `${field} `}${problem}`, 2000)}`;
}

function listFiles(client: ConfiguredClient): string[] {
  const names = client.adapters.list().map(({ agent }) => agent);
  return names.filter((agent) => {
    const { configFilePaths, projectConfigFilePaths, mcp } = client.adapters.get(agent).configSchema;
    return configFilePaths.length + projectConfigFilePaths.length > 0 || mcp !== undefined;
  });
}

function asDocument({ mcp, env, ...known }: AgentConfigSchema): ConfigSchemaDocument {
  const { encode: _, decode: __, ...servers } = mcp ?? {};
  return {
    ...known,
    ...(mcp ? { mcp: { ...servers, key: mcp.key } } : {}),
    ...(env ? { env: env.map((each) => ({ ...each, reference: each.reference?.source })) } : {}),
  };
}

/** Strings as they are, other values as JSON. */
function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
