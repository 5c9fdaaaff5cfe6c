import { type ComponentProps, type MouseEvent, useSyncExternalStore } from 'react';

/** The URL is the navigation state, so the browser's back button works. */
const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};
window.addEventListener('popstate', notify);

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** One query parameter of the URL. Setting it adds no history entry. */
export function useQuery(name: string): [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => new URLSearchParams(window.location.search).get(name) ?? '');
  const set = (next: string) => {
    const query = new URLSearchParams(window.location.search);
    if (next === '') query.delete(name);
    else query.set(name, next);
    const search = query.size === 0 ? '' : `?${query}`;
    window.history.replaceState(window.history.state, '', `${window.location.pathname}${search}`);
    notify();
  };
  return [value, set];
}

export function navigate(path: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) window.history.replaceState(null, '', path);
  else if (path !== `${window.location.pathname}${window.location.search}`) window.history.pushState(null, '', path);
  notify();
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
