import type { AgentAdapter } from '../contract/adapter.ts';
import { isSecretName } from '../redact/redact.ts';
import { buildChildEnv } from './child-env.ts';

/** Variables of package managers, in addition to the base variables. */
const INSTALLER_VARIABLES: readonly string[] = [
  'npm_config_*',
  'NPM_*',
  'NVM_*',
  'FNM_*',
  'VOLTA_*',
  'N_PREFIX',
  'ASDF_*',
  'MISE_*',
  'COREPACK_*',
  'PNPM_HOME',
  'BUN_INSTALL',
  'HOMEBREW_*',
  'PIP_*',
  'PIPX_*',
  'UV_*',
  'PYTHON*',
  'VIRTUAL_ENV',
  'CONDA_*',
  'NIX_*',
];

/** The environment of an installer, without any agent's keys, even those of the agent it installs. */
export function installerEnv(
  adapter: AgentAdapter,
  hostEnv: NodeJS.ProcessEnv,
  hostSignals: readonly string[],
): Record<string, string> {
  const names = (adapter.envAllowList ?? []).map((name) => name.replace(/\*$/, ''));
  const own = Object.keys(hostEnv).filter(
    (name) => !isSecretName(name) && names.some((prefix) => prefix !== '' && name.startsWith(prefix)),
  );
  return buildChildEnv({
    hostEnv,
    envAllowList: [...INSTALLER_VARIABLES, ...own],
    allHostSignals: hostSignals,
  });
}
