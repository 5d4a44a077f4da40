import { type SubmitEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { maxViewNameLength } from '../../contract/view-limits.ts';
import type { SavedView } from '../../contract/views-api.ts';
import { Dialog } from '../components/dialog.tsx';
import { DialogActions } from '../components/dialog-actions.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { useWhoami } from '../session/use-session.ts';
import { type FilterParams, toSearchParams, toViewFilters } from './use-filter-params.ts';
import { useChangeViews, viewPageTitles, viewPath } from './use-views.ts';

/** As in the address: `find tag:smoke`, `since 24h`. */
function FilterList({ filters }: { filters: URLSearchParams }) {
  return (
    <dl className="view-filters">
      {[...filters].map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="mono">{name === 'deleted' ? 'yes' : value}</dd>
        </div>
      ))}
    </dl>
  );
}

type NameFieldProps = { readonly name: string; readonly onNameChange: (name: string) => void };

function NameField({ name, onNameChange }: NameFieldProps) {
  return (
    <Field
      label="Name"
      data-first
      required
      maxLength={maxViewNameLength}
      autoComplete="off"
      value={name}
      onChange={({ target }) => onNameChange(target.value)}
    />
  );
}

/** The new view is opened, so that its address can be copied. */
export function SaveView({ params, onClose }: { params: FilterParams; onClose: () => void }) {
  const { instance, page, filters } = params;
  const [name, setName] = useState('');
  const [isShared, setIsShared] = useState(true);
  const save = useChangeViews(instance);
  const [, navigate] = useLocation();
  const hasAccount = useWhoami()?.person != null;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const input = { page, name, filters: toViewFilters(filters), shared: isShared };
    const open = (view: SavedView | undefined): void => {
      onClose();
      if (view) navigate(viewPath(instance, view), { replace: true });
    };
    save.mutate({ kind: 'create', input }, { onSuccess: open });
  };
  return (
    <Dialog title={`Save view of ${viewPageTitles[page]}`} onClose={onClose}>
      <form onSubmit={submit}>
        <FilterList filters={filters} />
        <NameField name={name} onNameChange={setName} />
        {hasAccount ? <Audience instance={instance} isShared={isShared} onChange={setIsShared} /> : null}
        {save.error ? <ErrorNotice error={save.error} /> : null}
        <DialogActions
          onClose={onClose}
          isPending={save.isPending}
          pendingLabel="Saving…"
          isDisabled={name.trim() === ''}
        >
          Save view
        </DialogActions>
      </form>
    </Dialog>
  );
}

type AudienceProps = {
  readonly instance: string;
  readonly isShared: boolean;
  readonly onChange: (isShared: boolean) => void;
};

function Audience({ instance, isShared, onChange }: AudienceProps) {
  const name = useId();
  return (
    <fieldset className="view-audience">
      <legend>Who sees it</legend>
      <label>
        <input type="radio" name={name} checked={isShared} onChange={() => onChange(true)} /> Shared: everyone who sees{' '}
        {instance}
      </label>
      <label>
        <input type="radio" name={name} checked={!isShared} onChange={() => onChange(false)} /> Personal: only you
      </label>
    </fieldset>
  );
}

type EditViewProps = {
  readonly instance: string;
  readonly view: SavedView;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
};

export function EditView({ instance, view, onClose, onDeleted }: EditViewProps) {
  const [name, setName] = useState(view.name);
  const change = useChangeViews(instance);
  const remove = useChangeViews(instance);
  const id = view.view_id;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    change.mutate({ kind: 'change', id, input: { name } }, { onSuccess: onClose });
  };
  const confirm = (): void =>
    remove.mutate(
      { kind: 'remove', id },
      {
        onSuccess: () => {
          onClose();
          onDeleted();
        },
      },
    );
  const error = change.error ?? remove.error;
  const isPending = change.isPending || remove.isPending;
  return (
    <Dialog title={`View ${view.name}`} onClose={onClose}>
      <form onSubmit={submit}>
        <FilterList filters={toSearchParams(view)} />
        <p className="hint">
          {view.shared ? `Shared with everyone who sees ${instance}` : 'Personal: only you see it'}. Saved by{' '}
          {view.updated_by} <RelativeTime timestamp={view.updated_at} />. To replace its filters, change them on the
          page and choose <i>Update</i>.
        </p>
        <NameField name={name} onNameChange={setName} />
        {error ? <ErrorNotice error={error} /> : null}
        <p className="hint">
          {view.shared ? 'Deleting it takes it from everyone. ' : ''}Links to a deleted view say that it is not here.
        </p>
        <footer className="dialog-foot">
          <button type="button" className="destructive" disabled={isPending} onClick={confirm}>
            {remove.isPending ? 'Deleting…' : 'Delete view'}
          </button>
          <button
            type="submit"
            className="strong"
            disabled={name.trim() === '' || name.trim() === view.name || isPending}
          >
            {change.isPending ? 'Saving…' : 'Rename'}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
