import type { FormEvent, ReactNode } from 'react';
import { Problem } from '../parts/problem.tsx';

type CardProps = {
  readonly title: string;
  readonly children: ReactNode;
  /** Without it there is nothing to send. */
  readonly submit?: { readonly text: string; readonly pending: boolean; readonly action: () => void } | undefined;
  readonly error?: unknown;
  readonly foot?: ReactNode;
};

/** A page with one thing to do, for those who are not signed in. */
export function Card({ title, children, submit, error, foot }: CardProps) {
  const send = (event: FormEvent): void => {
    event.preventDefault();
    submit?.action();
  };
  return (
    <main className="alone">
      <title>{`${title} · vp`}</title>
      <p className="brand">vp</p>
      <form className="card" onSubmit={send}>
        <h1>{title}</h1>
        {children}
        {error ? <Problem error={error} /> : null}
        {submit ? (
          <button type="submit" className="strong" disabled={submit.pending}>
            {submit.pending ? 'One moment…' : submit.text}
          </button>
        ) : null}
        {foot}
      </form>
    </main>
  );
}
