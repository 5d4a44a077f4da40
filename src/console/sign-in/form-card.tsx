import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';

type FormCardProps = {
  readonly title: string;
  readonly children: ReactNode;
  /** Omitted on pages without a form. */
  readonly submit?: { readonly text: string; readonly pending: boolean; readonly action: () => void } | undefined;
  readonly error?: unknown;
  readonly foot?: ReactNode;
};

/** A page with a single form, for people who are not signed in. */
export function FormCard({ title, children, submit, error, foot }: FormCardProps) {
  const ref = useRef<HTMLFormElement>(null);
  // The fields arrive with the answer to a request.
  const hasFields = submit !== undefined;
  useEffect(() => {
    if (hasFields) ref.current?.querySelector<HTMLInputElement>('input:not([readonly], [hidden])')?.focus();
  }, [hasFields]);
  const handleSubmit = (event: FormEvent): void => {
    event.preventDefault();
    submit?.action();
  };
  return (
    <main className="standalone">
      <title>{`${title} · vp`}</title>
      <p className="brand">vp</p>
      <form ref={ref} className="card" onSubmit={handleSubmit}>
        <h1>{title}</h1>
        {children}
        {error ? <ErrorNotice error={error} /> : null}
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
