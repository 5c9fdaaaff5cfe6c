import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { AgentConfigSchema, ConfigChangeResult, ConfigFinding } from '@agent-mux/core';
import { commandOfActions } from '../actions.ts';
import { type Command, type Given, isOn, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import type { ConfigSchemaDocument } from '../json/documents.ts';
import { SCOPE_FLAGS, scopeOf } from '../native-config/scope-flags.ts';
import { readGivenText, readTypedValue } from '../native-config/value.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { makePrintable, toOneLine } from '../screen/plain.ts';

const WRITE_FLAGS = ['global', 'project', 'native', 'dry-run'];

export const config: Command = commandOfActions({
  name: 'config',
  about:
    "Reads and changes the agents' own configuration files, each in its own format. Comments, unknown keys and the mode of\n" +
    'the file stay, and a file that cannot be read is not written.',
  flags: {
    ...SCOPE_FLAGS,
    native: { type: 'boolean', help: 'FIELD is a path of the native file: a.b or a."b.c".d.' },
    'show-secrets': { type: 'boolean', help: 'Do not mask keys and tokens.' },
    'json-value': { type: 'boolean', help: 'VALUE is JSON.' },
    'dry-run': { type: 'boolean', help: 'Check everything and write nothing.' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  actions: {
    get: {
      usage: 'AGENT [FIELD] [--global|--project] [--native] [--show-secrets]',
      about: "what counts here, the project's over the user's; 1 where the field is not set",
      minWords: 1,
      maxWords: 2,
      flags: ['global', 'project', 'native', 'show-secrets'],
      run: get,
    },
    set: {
      usage: 'AGENT FIELD VALUE [--project] [--native] [--json-value] [--dry-run]',
      about: "in the user's file unless --project; - reads VALUE from stdin",
      minWords: 3,
      maxWords: 3,
      flags: [...WRITE_FLAGS, 'json-value'],
      run: set,
    },
    unset: {
      usage: 'AGENT FIELD [--project] [--native] [--dry-run]',
      about: "out of the user's files unless --project",
      minWords: 2,
      maxWords: 2,
      flags: WRITE_FLAGS,
      run: unset,
    },
    schema: { usage: 'AGENT', about: 'the fields that are known', minWords: 1, maxWords: 1, flags: [], run: schema },
    validate: {
      usage: '[AGENT...] [--global|--project]',
      about: 'what is broken or of a wrong type, with its line; 1 where something is',
      maxWords: Number.POSITIVE_INFINITY,
      flags: ['global', 'project'],
      run: validate,
    },
    path: {
      usage: 'AGENT [--global|--project]',
      about: 'the files, in the order in which they count',
      minWords: 1,
      maxWords: 1,
      flags: ['global', 'project'],
      run: path,
    },
  },
  examples: [
    { command: 'amux config get claude', about: 'what is set' },
    { command: 'amux config get codex model', about: 'one value, for a script' },
    { command: 'amux config set gemini model gemini-2.5-pro', about: "in the user's file" },
    { command: 'amux config set claude allowedTools "Read,Bash(git *)" --project', about: 'a list, for this project' },
    { command: 'amux config set codex --native features.web_search true --json-value', about: 'any key of the file' },
    { command: 'amux config set gemini maxSessionTurns -- -1', about: 'what begins with - goes behind --' },
    { command: 'amux config validate', about: 'is anything wrong?' },
  ],
  notes: [
    'The first change of a file leaves a copy of it in $XDG_STATE_HOME/agent-mux/backups (~/.local/state/...).',
    'Keys and tokens are shown as ******** unless --show-secrets is given.',
  ],
});

function get(given: Given): Promise<number> {
  const [agent = '', field] = given.words;
  return withClient(given, async (client) => {
    client.adapterNamed(agent);
    const reading = await client.config.get(agent, {
      ...scopeOf(given),
      ...(field === undefined ? {} : { names: [field] }),
      native: isOn(given, 'native'),
      showSecrets: isOn(given, 'show-secrets'),
    });
    const missing = field !== undefined && !Object.hasOwn(reading.values, field);
    if (isOn(given, 'json')) {
      printJson<'config get'>(reading);
      return missing ? EXIT.failure : EXIT.ok;
    }
    if (missing) {
      process.stderr.write(`${toOneLine(field, 200)} is not set\n`);
      return EXIT.failure;
    }
    if (field !== undefined) return print(describeWritten(reading.values[field]));
    const rows = Object.entries(reading.values).map(([name, value]) => [
      name,
      toOneLine(describeWritten(value), 200),
      reading.sources[name] ?? '',
    ]);
    if (rows.length === 0) return print(`nothing is set; ${(await client.config.files(agent))[0]?.path ?? ''}`);
    const { dim } = paint(process.stdout);
    return print(
      addHead([['FIELD', 'VALUE', 'FILE'], ...rows], (cell, _, column) => (column === 2 ? dim(cell) : cell)),
    );
  });
}

function set(given: Given): Promise<number> {
  const [agent = '', field = '', word = ''] = given.words;
  return withClient(given, async (client) => {
    client.adapterNamed(agent);
    const known = client.config.schema(agent).fields.find(({ name }) => name === field);
    const value = readTypedValue(
      await readGivenText(word),
      isOn(given, 'native') ? undefined : known,
      isOn(given, 'json-value'),
    );
    return report(given, await client.config.set(agent, { [field]: value }, writeOptions(given)));
  });
}

function unset(given: Given): Promise<number> {
  const [agent = '', field = ''] = given.words;
  return withClient(given, async (client) => {
    client.adapterNamed(agent);
    return report(given, await client.config.unset(agent, [field], writeOptions(given)));
  });
}

function schema(given: Given): Promise<number> {
  const [agent = ''] = given.words;
  return withClient(given, (client) => {
    client.adapterNamed(agent);
    const known = client.config.schema(agent);
    if (isOn(given, 'json')) return printJson<'config schema'>(asDocument(known));
    const rows = known.fields.map(({ name, type, values, nativePath, description, secret }) => [
      name,
      type,
      nativePath ?? name,
      `${description}${values ? `: ${values.join(', ')}` : ''}${secret ? ' (secret)' : ''}`,
    ]);
    return print(addHead([['FIELD', 'TYPE', 'NATIVE PATH', 'ABOUT'], ...rows]));
  });
}

function validate(given: Given): Promise<number> {
  return withClient(given, async (client) => {
    for (const agent of given.words) client.adapterNamed(agent);
    const agents = given.words.length > 0 ? given.words : listFiles(client);
    const findings = (await Promise.all(agents.map((agent) => client.config.validate(agent, scopeOf(given))))).flat();
    if (isOn(given, 'json')) printJson<'config validate'>({ findings });
    else if (findings.length === 0) print(`${paint(process.stdout).green('✓')} nothing is wrong`);
    else print(findings.map(findingLine).join('\n'));
    return findings.length === 0 ? EXIT.ok : EXIT.failure;
  });
}

function path(given: Given): Promise<number> {
  const [agent = ''] = given.words;
  return withClient(given, async (client) => {
    client.adapterNamed(agent);
    const files = await client.config.files(agent, scopeOf(given));
    if (isOn(given, 'json')) return printJson<'config path'>({ agent, files });
    const rows = files.map(({ path: file, scope, exists, written: taker }) => [
      file,
      scope,
      exists ? 'yes' : 'no',
      taker ? 'new values go here' : '',
    ]);
    return print(addHead([['FILE', 'SCOPE', 'THERE', ''], ...rows]));
  });
}

function writeOptions(given: Given) {
  return { ...scopeOf(given), native: isOn(given, 'native'), dryRun: isOn(given, 'dry-run') };
}

function report(given: Given, result: ConfigChangeResult): number {
  if (isOn(given, 'json')) return printJson<'config set' | 'config unset'>(result);
  const { green, yellow, dim } = paint(process.stdout);
  const would = isOn(given, 'dry-run') ? 'would be ' : '';
  const lines = result.files.flatMap(({ file, changed, created, backup }) => [
    changed
      ? `${green('✓')} ${would}${created ? 'made' : 'changed'}: ${makePrintable(file)} ${dim(`(${result.scope})`)}`
      : `${green('✓')} ${makePrintable(file)} says so already`,
    ...(backup ? [dim(`  as it was before: ${backup}`)] : []),
  ]);
  if (lines.length === 0) lines.push('it was not set');
  for (const { name, file } of result.overruled) {
    lines.push(`${yellow('!')} ${name} does not count in this folder: ${makePrintable(file)} says otherwise`);
  }
  return print(lines.join('\n'));
}

function findingLine({ agent, file, line, column, field, problem }: ConfigFinding): string {
  const { yellow } = paint(process.stdout);
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return `${yellow(agent)} ${toOneLine(`${place}: ${field === undefined ? '' : `${field} `}${problem}`, 2000)}`;
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

/** Text as it is, everything else as JSON. */
function describeWritten(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
