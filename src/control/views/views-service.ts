import type { ViewPage } from '../../contract/view-limits.ts';
import type { ChangeViewRequest, CreateViewRequest, SavedView } from '../../contract/views-api.ts';
import type { Actor } from '../list-types.ts';

/** Methods throw INSTANCE_UNKNOWN; those of one view throw VIEW_UNKNOWN, also for a personal view of someone else. */
export type ViewsService = {
  /** Those that everyone sees, then the reader's own, each in the order of their creation. */
  list(instance: string, reader: Actor, page?: ViewPage): Promise<SavedView[]>;
  get(instance: string, view: string, reader: Actor): Promise<SavedView>;
  /** Throws VIEW_NAME_TAKEN, VIEW_INVALID, VIEW_LIMIT_REACHED, VIEW_PERSON_NEEDED. */
  create(instance: string, input: CreateViewRequest, actor: Actor): Promise<SavedView>;
  /** Throws VIEW_NAME_TAKEN, VIEW_INVALID. */
  change(instance: string, view: string, input: ChangeViewRequest, actor: Actor): Promise<SavedView>;
  remove(instance: string, view: string, actor: Actor): Promise<void>;
};
