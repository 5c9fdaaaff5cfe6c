import { isBaseName } from '../env/child-env.ts';

/** Names that an adapter brings along, and that other parts build on. */

/** A part of a path, a word on a command line, a key of objects and, before a colon, the beginning of a session's id. */
const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What is wrong with the name of an agent. */
export function findAgentNameFault(name: string): string | undefined {
  if (!AGENT_NAME.test(name) || name.includes('..')) {
    return 'must be letters, digits, ".", "_" and "-", begin with a letter or digit, and have no ".." and no more than 64 characters';
  }
  return name in {} ? `must not be "${name}", which every object has` : undefined;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_()]*$/;
const PREFIX = /^[A-Za-z][A-Za-z0-9]+(?:_[A-Za-z0-9]+)*_\*$/;

/**
 * Keys to more than a model, which lie in the environment of many people: repositories, clouds, registries, databases. No
 * pattern may cover one; an adapter whose agent logs in with it names it.
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

/** What is wrong with an entry of `envAllowList`. */
export function findAllowListFault(entry: string): string | undefined {
  if (VARIABLE.test(entry)) return undefined;
  if (!PREFIX.test(entry)) {
    return `"${entry}" is neither the name of a variable nor PREFIX_*, whose prefix has two letters or more and ends with "_"`;
  }
  const covered = FOREIGN_SECRETS.find((name) => name.startsWith(entry.slice(0, -1)));
  return covered && `"${entry}" would let ${covered} pass: name the variables that the agent needs`;
}

/** What is wrong with an entry of `hostEnvSignals`, which is taken from the children of all agents. */
export function findHostSignalFault(entry: string): string | undefined {
  if (!VARIABLE.test(entry)) return `"${entry}" is not the name of a variable`;
  const needed = isBaseName(entry) || entry.endsWith('_API_KEY') || FOREIGN_SECRETS.includes(entry);
  return needed ? `"${entry}" is what agents need, not a mark: it would be taken from all of them` : undefined;
}
