import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { SavedView } from '../../contract/views-api.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { instancePath } from '../paths.ts';
import { useHasRole } from '../session/use-session.ts';
import { useKeys } from '../shell/use-keys.ts';
import { type FilterParams, toViewFilters } from './use-filter-params.ts';
import { useChangeViews, useViews, viewPageTitles, viewPath } from './use-views.ts';
import { EditView, SaveView } from './view-dialogs.tsx';

/** The saved views of a page as links above its list, and what can be done with the present filters. */
export function ViewBar({ params }: { params: FilterParams }) {
  const { instance, page, view, isChanged, filters, state } = params;
  const [dialog, setDialog] = useState<'save' | 'edit'>();
  const [, navigate] = useLocation();
  const { data: views = [] } = useViews(instance);
  const canSave = useHasRole('member') && filters.size > 0 && (view === undefined || isChanged);
  const keys = useMemo(() => ({ v: () => setDialog(canSave ? 'save' : undefined) }), [canSave]);
  useKeys(keys);
  const canChange = useHasRole('member');
  const ofPage = views.filter((item) => item.page === page);
  if (ofPage.length === 0 && !canChange) return null;
  const all = `${instancePath(instance)}/${page}`;
  const close = (): void => setDialog(undefined);
  return (
    <div className="view-bar">
      <nav aria-label="Views" className="page-tabs">
        <Link href={all} aria-current={filters.size === 0 && state === 'ready' ? 'page' : undefined}>
          All {viewPageTitles[page]}
        </Link>
        {ofPage.map((item) => (
          <ViewLink key={item.view_id} item={item} current={view} isChanged={isChanged} instance={instance} />
        ))}
      </nav>
      {canChange ? (
        <div className="view-actions">
          {view && isChanged ? <ReplaceFilters params={params} view={view} /> : null}
          {view && !isChanged ? (
            <button type="button" className="quiet" onClick={() => setDialog('edit')}>
              Edit view…
            </button>
          ) : (
            <button type="button" className="quiet" disabled={!canSave} onClick={() => setDialog('save')}>
              {view ? 'Save as new view…' : 'Save view…'}
            </button>
          )}
        </div>
      ) : null}
      {dialog === 'save' ? <SaveView params={params} onClose={close} /> : null}
      {dialog === 'edit' && view ? (
        <EditView instance={instance} view={view} onClose={close} onDeleted={() => navigate(all)} />
      ) : null}
    </div>
  );
}

type ViewLinkProps = {
  readonly item: SavedView;
  readonly current: SavedView | undefined;
  readonly isChanged: boolean;
  readonly instance: string;
};

function ViewLink({ item, current, isChanged, instance }: ViewLinkProps) {
  const isCurrent = item.view_id === current?.view_id;
  return (
    <Link href={viewPath(instance, item)} aria-current={isCurrent ? (isChanged ? 'true' : 'page') : undefined}>
      {item.name}
      {item.shared ? null : <span className="note"> personal</span>}
      {isCurrent && isChanged ? <span className="note"> changed</span> : null}
    </Link>
  );
}

/** The view gets the filters of the page; its address stays. */
function ReplaceFilters({ params: { instance, filters }, view }: { params: FilterParams; view: SavedView }) {
  const [, navigate] = useLocation();
  const save = useChangeViews(instance);
  const replace = (): void =>
    save.mutate(
      { kind: 'change', id: view.view_id, input: { filters: toViewFilters(filters) } },
      { onSuccess: () => navigate(viewPath(instance, view), { replace: true }) },
    );
  return (
    <>
      {save.error ? <span role="alert">{save.error.message}</span> : null}
      <button type="button" className="quiet" disabled={save.isPending} onClick={replace}>
        {save.isPending ? 'Saving…' : `Update “${view.name}”`}
      </button>
    </>
  );
}

/** In place of the list while a view of the address is not known. Undefined where the list can be shown. */
export function MissingView({ params: { state, error, instance, page } }: { params: FilterParams }) {
  if (state === 'failed') return <ErrorNotice error={error} />;
  return (
    <EmptyState title="This view is not here">
      <p>It was deleted, or it is a personal view of someone else.</p>
      <Link href={`${instancePath(instance)}/${page}`}>Show all {viewPageTitles[page]}</Link>
    </EmptyState>
  );
}
