import type { ComponentProps, ReactNode } from 'react';
import { useNow } from './clock.ts';
import { ageOf, durationOf } from './format.logic.ts';

/** How long ago; the exact time when it is pointed at. */
export function Age({ time }: { time: number }) {
  const now = useNow();
  return (
    <time className="number faint" dateTime={new Date(time).toISOString()} title={new Date(time).toLocaleString()}>
      {ageOf(time, now)}
    </time>
  );
}

/** How long it goes on already. */
export function Elapsed({ since }: { since: number }) {
  const now = useNow();
  return (
    <time className="number" title={`since ${new Date(since).toLocaleString()}`}>
      {durationOf(now - since)}
    </time>
  );
}

/** `passed`: what is said when the time has come. */
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

/** A button that is only an icon, and says its name. */
export function IconButton({ label, ...rest }: ComponentProps<'button'> & { label: string; look?: Look }) {
  return <Button look="quiet" data-size="icon" aria-label={label} title={label} {...rest} />;
}

/** What a page says when there is nothing to show: why, and the next step. */
export function Empty({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      {icon}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Text that scrolls within itself, which the keyboard must be able to reach. */
export function Scrolled({ label, ...rest }: ComponentProps<'pre'> & { label: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds fields.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <pre role="group" aria-label={label} tabIndex={0} {...rest} />
  );
}
