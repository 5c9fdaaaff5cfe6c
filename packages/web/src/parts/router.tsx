import { type ComponentProps, type MouseEvent, useSyncExternalStore } from 'react';

/** The address is the state: a page is found by it, and back goes back. */
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};
window.addEventListener('popstate', tell);

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** One value of the address behind `?`; setting it adds no step to go back over. */
export function useQuery(name: string): [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => new URLSearchParams(window.location.search).get(name) ?? '');
  const set = (next: string) => {
    const query = new URLSearchParams(window.location.search);
    if (next === '') query.delete(name);
    else query.set(name, next);
    const search = query.size === 0 ? '' : `?${query}`;
    window.history.replaceState(window.history.state, '', `${window.location.pathname}${search}`);
    tell();
  };
  return [value, set];
}

export function navigate(path: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) window.history.replaceState(null, '', path);
  else if (path !== `${window.location.pathname}${window.location.search}`) window.history.pushState(null, '', path);
  tell();
}

export function Link({ href, onClick, ...rest }: ComponentProps<'a'> & { href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
