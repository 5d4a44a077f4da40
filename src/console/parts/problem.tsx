import { toldOf } from '../words/problem.ts';

/** What went wrong and what to do about it; with `retry` a way to try again, where that can help. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) {
  const { message, cure, code, mayMend } = toldOf(error);
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{sentence(message)}</strong>
      </p>
      <p>
        {sentence(cure)} <code className="faint">{code}</code>
      </p>
      {retry && mayMend ? (
        <button type="button" onClick={() => void retry()}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
