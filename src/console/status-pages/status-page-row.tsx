import { type SubmitEvent, useState } from 'react';
import { maxStatusPageDays } from '../../contract/status-page-limits.ts';
import type { StatusPage } from '../../contract/status-pages-api.ts';
import { nowMs } from '../browser.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Dialog } from '../components/dialog.tsx';
import { DialogActions } from '../components/dialog-actions.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { formatDayAhead } from '../text/format-day.ts';
import { describeSelection, formatEnd } from './status-page-text.ts';
import { useChangeStatusPage } from './use-status-pages.ts';

export function StatusPageRow({ page, canChange }: { page: StatusPage; canChange: boolean }) {
  const { title, until, ended, created_by: createdBy, created_at: createdAt, last_viewed_at: viewedAt } = page;
  return (
    <tr>
      <td className="wrap">
        <b>{title}</b>
        <span className="failure-check">{describeSelection(page)}</span>
      </td>
      <td data-label="Until">
        {formatEnd(until)}
        {ended ? <span className="faint">, ended</span> : null}
      </td>
      <td data-label="Created">
        <RelativeTime timestamp={createdAt} /> by {createdBy}
      </td>
      <td data-label="Last viewed">
        {viewedAt === null ? <span className="faint">never</span> : <RelativeTime timestamp={viewedAt} />}
      </td>
      <td>{canChange ? <StatusPageActions page={page} /> : null}</td>
    </tr>
  );
}

function StatusPageActions({ page }: { page: StatusPage }) {
  const { status_page_id: id, instance, title } = page;
  const change = useChangeStatusPage(instance);
  const [dialog, setDialog] = useState<'extend' | 'revoke'>();
  const close = (): void => setDialog(undefined);
  return (
    <>
      <span className="bar">
        <button type="button" aria-label={`Extend ${title}`} onClick={() => setDialog('extend')}>
          Extend…
        </button>
        <button type="button" aria-label={`Revoke ${title}`} onClick={() => setDialog('revoke')}>
          Revoke…
        </button>
      </span>
      {change.error && dialog === undefined ? <ErrorNotice error={change.error} /> : null}
      {dialog === 'extend' ? <ExtendDialog page={page} change={change} onClose={close} /> : null}
      {dialog === 'revoke' ? (
        <ConfirmDialog
          title={`Revoke ${title}`}
          consequence="Its link shows nothing any more, and its badge says unknown, wherever they are. A new page has a new link."
          confirmationText={title}
          confirmLabel="Revoke"
          isPending={change.isPending}
          onConfirm={() => change.mutate({ id, until: undefined }, { onSettled: close })}
          onClose={close}
        />
      ) : null}
    </>
  );
}

type ExtendDialogProps = {
  readonly page: StatusPage;
  readonly change: ReturnType<typeof useChangeStatusPage>;
  readonly onClose: () => void;
};

function ExtendDialog({ page: { status_page_id: id, title, until }, change, onClose }: ExtendDialogProps) {
  const [openedMs] = useState(nowMs);
  const [day, setDay] = useState(until.slice(0, 10));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    change.mutate({ id, until: `${day}T23:59:59.999Z` }, { onSuccess: onClose });
  };
  return (
    <Dialog title={`Extend ${title}`} onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Until the end of"
          hint="A day in UTC, at most a year ahead. Link and badge stay the same."
          data-first
          type="date"
          required
          min={formatDayAhead(openedMs, 0)}
          max={formatDayAhead(openedMs, maxStatusPageDays)}
          value={day}
          onChange={({ target }) => setDay(target.value)}
        />
        {change.error ? <ErrorNotice error={change.error} /> : null}
        <DialogActions onClose={onClose} isPending={change.isPending} pendingLabel="Saving…">
          Extend
        </DialogActions>
      </form>
    </Dialog>
  );
}
