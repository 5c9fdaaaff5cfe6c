import { isBaseName } from '../env/child-env.ts';

/** Validates names that adapters define and other parts rely on. */

/** Used as a path segment, a command-line argument, an object key and, before a colon, the prefix of a session id. */
const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Issue of an agent name. */
export function findAgentNameIssue(name: string): string | undefined {
  if (!AGENT_NAME.test(name) || name.includes('..')) {
    return 'must be at most 64 letters, digits, ".", "_" and "-", start with a letter or digit and not contain ".."';
  }
  return name in {} ? `must not be the object property "${name}"` : undefined;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_()]*$/;
const PREFIX = /^[A-Za-z][A-Za-z0-9]+(?:_[A-Za-z0-9]+)*_\*$/;

/**
 * Common secrets unrelated to models: repositories, clouds, registries, databases. No pattern may match one; an adapter
 * whose agent needs one must name it.
 */
const FOREIGN_SECRETS: readonly string[] = [
  'ACTIONS_RUNTIME_TOKEN',
  'ANSIBLE_VAULT_PASSWORD',
  'ARTIFACTORY_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'AZURE_CLIENT_SECRET',
  'BITBUCKET_TOKEN',
  'BUILDKITE_AGENT_ACCESS_TOKEN',
  'CARGO_REGISTRY_TOKEN',
  'CF_API_TOKEN',
  'CIRCLE_TOKEN',
  'CI_JOB_TOKEN',
  'CLOUDFLARE_API_TOKEN',
  'DATABASE_URL',
  'DATABRICKS_TOKEN',
  'DB_PASSWORD',
  'DD_API_KEY',
  'DIGITALOCEAN_ACCESS_TOKEN',
  'DISCORD_TOKEN',
  'DOCKER_PASSWORD',
  'FLY_API_TOKEN',
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GITLAB_TOKEN',
  'GIT_PASSWORD',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_CLIENT_SECRET',
  'GPG_PASSPHRASE',
  'HEROKU_API_KEY',
  'HF_TOKEN',
  'JIRA_API_TOKEN',
  'KUBE_TOKEN',
  'MONGODB_URI',
  'MYSQL_PASSWORD',
  'NETLIFY_AUTH_TOKEN',
  'NODE_AUTH_TOKEN',
  'NPM_TOKEN',
  'OP_SERVICE_ACCOUNT_TOKEN',
  'PG_PASSWORD',
  'POSTGRES_PASSWORD',
  'PYPI_TOKEN',
  'REDIS_URL',
  'SENTRY_AUTH_TOKEN',
  'SLACK_BOT_TOKEN',
  'SNOWFLAKE_PASSWORD',
  'SSH_AUTH_SOCK',
  'STRIPE_SECRET_KEY',
  'TF_TOKEN_APP',
  'TWILIO_AUTH_TOKEN',
  'TWINE_PASSWORD',
  'UV_PUBLISH_TOKEN',
  'VAULT_TOKEN',
  'VERCEL_TOKEN',
];

/** Issue of an entry in `envAllowList`. */
export function findAllowListIssue(entry: string): string | undefined {
  if (VARIABLE.test(entry)) return undefined;
  if (!PREFIX.test(entry)) {
    return `"${entry}" must be a variable name or PREFIX_* with a prefix of at least two letters that ends with "_"`;
  }
  const covered = FOREIGN_SECRETS.find((name) => name.startsWith(entry.slice(0, -1)));
  return covered && `"${entry}" would also match ${covered}: list the variables the agent needs`;
}

/** Issue of an entry in `hostEnvSignals`, which is removed from the children of all agents. */
export function findHostSignalIssue(entry: string): string | undefined {
  if (!VARIABLE.test(entry)) return `"${entry}" is not a variable name`;
  const needed = isBaseName(entry) || entry.endsWith('_API_KEY') || FOREIGN_SECRETS.includes(entry);
  return needed ? `"${entry}" is needed by agents and cannot be removed from all of them` : undefined;
}
