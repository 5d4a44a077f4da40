import { RelativeTime } from '../components/relative-time.tsx';

type DraftNoteProps = {
  /** When the restored draft was stored; undefined when nothing was restored. */
  readonly restoredAtMs: number | undefined;
  /** False when the browser could not store what was typed. */
  readonly isStored: boolean;
  readonly onDiscard: () => void;
};

/** Says that unsaved changes were restored, or that they cannot be stored. */
export function DraftNote({ restoredAtMs, isStored, onDiscard }: DraftNoteProps) {
  if (!isStored)
    return (
      <p className="draft-note" role="alert">
        This browser cannot store your changes. Save them before you leave this page.
      </p>
    );
  if (restoredAtMs === undefined) return null;
  return (
    <p className="draft-note" role="status">
      <span>
        Your unsaved changes were restored, last edited{' '}
        <RelativeTime timestamp={new Date(restoredAtMs).toISOString()} />.
      </span>
      <button type="button" onClick={onDiscard}>
        Discard draft
      </button>
    </p>
  );
}
