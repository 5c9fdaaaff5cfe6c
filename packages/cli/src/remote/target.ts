import type { Elsewhere } from '@agent-mux/core';
import { UsageError } from '../usage-error.ts';

export const TARGET_HELP = 'ssh://[user@]host[:port][/dir], docker:IMAGE or k8s:[NAMESPACE/]POD[/CONTAINER]';

/** Another place, as one word of a command line. */
export function parseTarget(text: string): Elsewhere {
  const place = text.startsWith('ssh://') ? ssh(text) : text.startsWith('docker:') ? docker(text) : k8s(text);
  if (place) return place;
  throw new UsageError(`"${text}" names no place`, `write ${TARGET_HELP}`);
}

/** `/dir` is absolute; `/~/dir` lies below the home of the user there. */
function ssh(text: string): Elsewhere | undefined {
  const [, user, host, port, dir] =
    /^ssh:\/\/(?:([^@/\s]+)@)?(\[[^\]\s]+\]|[^:@/\s]+)(?::(\d+))?(\/.*)?$/.exec(text) ?? [];
  if (host === undefined) return undefined;
  const remoteCwd = dir === undefined || dir === '/' ? undefined : dir.replace(/^\/~(?=\/|$)/, '~');
  return {
    mode: 'ssh',
    host: host.replace(/^\[|\]$/g, ''),
    ...(user === undefined ? {} : { user }),
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(remoteCwd === undefined ? {} : { remoteCwd }),
  };
}

function docker(text: string): Elsewhere | undefined {
  const image = text.slice('docker:'.length);
  return /^\S+$/.test(image) ? { mode: 'docker', image } : undefined;
}

/** Two names are namespace and pod; an empty namespace (`k8s:/pod/container`) is that of the current context. */
function k8s(text: string): Elsewhere | undefined {
  if (!text.startsWith('k8s:') || /\s/.test(text)) return undefined;
  const names = text.slice('k8s:'.length).split('/');
  const [namespace, pod, container] = names.length === 1 ? ['', ...names] : names;
  if (!pod || names.length > 3 || container === '') return undefined;
  return {
    mode: 'k8s',
    pod,
    ...(namespace ? { namespace } : {}),
    ...(container === undefined ? {} : { container }),
  };
}
