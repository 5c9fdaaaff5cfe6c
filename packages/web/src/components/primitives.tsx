import type { ComponentProps, ReactNode } from 'react';
import { useNow } from './clock.ts';
import { ageOf, durationOf } from './format.logic.ts';

/** Age of a time, with the exact time as tooltip. */
export function Age({ time }: { time: number }) {
  const now = useNow();
  return (
    <time className="number faint" dateTime={new Date(time).toISOString()} title={new Date(time).toLocaleString()}>
      {ageOf(time, now)}
    </time>
  );
}

/** Time elapsed since a start. */
export function Elapsed({ since }: { since: number }) {
  const now = useNow();
  return (
    <time className="number" title={`since ${new Date(since).toLocaleString()}`}>
      {durationOf(now - since)}
    </time>
  );
}

/** Time left. `passed`: text shown once the time has come. */
export function Countdown({ until, passed = 'now' }: { until: number; passed?: string }) {
  const now = useNow();
  return (
    <time className="number" dateTime={new Date(until).toISOString()} title={new Date(until).toLocaleString()}>
      {until <= now ? passed : `in ${durationOf(until - now)}`}
    </time>
  );
}

type Look = 'plain' | 'next' | 'quiet' | 'danger';

export function Button({ look = 'plain', ...rest }: ComponentProps<'button'> & { look?: Look }) {
  return <button type="button" data-look={look} {...rest} className={`button ${rest.className ?? ''}`} />;
}

/** A button that shows only an icon and has an accessible name. */
export function IconButton({ label, ...rest }: ComponentProps<'button'> & { label: string; look?: Look }) {
  return <Button look="quiet" data-size="icon" aria-label={label} title={label} {...rest} />;
}

/** Empty state of a page: what is missing, and the next step. */
export function Empty({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      {icon}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A scrollable block of text that the keyboard can focus. */
export function Scrolled({ label, ...rest }: ComponentProps<'pre'> & { label: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds fields.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <pre role="group" aria-label={label} tabIndex={0} {...rest} />
  );
}
