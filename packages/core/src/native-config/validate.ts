import type { AgentConfigSchema, ConfigField, McpConfigFormat } from '../contract/auth-and-config.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { ConfigFinding, ConfigTarget } from '../contract/native-config.ts';
import { isPlainObject, sameContent, valueAtNative } from './changes.ts';
import { codecOf } from './codecs.ts';
import { readNativeFile } from './edit-file.ts';
import { findProblem, pathOf } from './fields.ts';
import { holderPath, listMcpFiles } from './mcp-entries.ts';
import { plainData } from './read.ts';
import { filesOf, type ScopedFile } from './scopes.ts';

/** Issues that the agent would trip over: broken files, and values of a wrong type. Unknown keys are fine. */
export async function validateConfig(
  schema: AgentConfigSchema,
  where: ConfigTarget,
  env: NodeJS.ProcessEnv,
): Promise<ConfigFinding[]> {
  const own = filesOf(schema, where, env);
  const mcp = listMcpFiles(schema, where, env);
  const others = mcp.filter(({ path }) => !own.some((file) => file.path === path));
  const found = await Promise.all(
    [...own, ...others].map((file) => {
      const form = mcp.some(({ path }) => path === file.path) ? schema.mcp : undefined;
      return findInFile(file, own.includes(file) ? schema.fields : [], form);
    }),
  );
  return found.flat();
}

async function findInFile(
  file: ScopedFile,
  fields: readonly ConfigField[],
  form: McpConfigFormat | undefined,
): Promise<ConfigFinding[]> {
  const about = { agent: file.agent, file: file.path, scope: file.scope };
  try {
    const read = await readNativeFile(file);
    if (!read) return [];
    const text = read.text.replace(/^\uFEFF/, '');
    const content = plainData(read.content);
    if (!isPlainObject(content)) return [{ ...about, line: 1, column: 1, problem: 'must contain an object' }];
    const { locate } = await codecOf(file.format);
    const wrong = fields.flatMap((field): ConfigFinding[] => {
      const value = valueAtNative(content, pathOf(field));
      const problem = value === undefined || value === null ? undefined : findProblem(field, value);
      return problem ? [{ ...about, ...locate(text, pathOf(field)), field: field.name, problem }] : [];
    });
    const holder = form && holderPath(form);
    const problem = form && findHolderProblem(form, content);
    if (!holder || !problem || fields.some((field) => sameContent(pathOf(field), holder))) return wrong;
    return [...wrong, { ...about, ...locate(text, holder), field: form.key, problem }];
  } catch (error) {
    if (!(error instanceof AgentMuxError)) throw error;
    const { line, column } = error.data ?? {};
    const problem = error.message.slice(file.path.length + 1);
    if (typeof line !== 'number' || typeof column !== 'number') return [{ ...about, problem: problem.trim() }];
    return [{ ...about, line, column, problem: `cannot be read: ${problem.replace(/^\d+:\d+: /, '')}` }];
  }
}

function findHolderProblem(form: McpConfigFormat, content: unknown): string | undefined {
  const holder = valueAtNative(content, holderPath(form));
  if (holder === undefined || holder === null) return undefined;
  if (form.list) return Array.isArray(holder) ? undefined : 'must be a list of MCP servers';
  return isPlainObject(holder) ? undefined : 'must be an object of MCP servers by name';
}
