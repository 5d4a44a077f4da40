import type {
  CreateStatusPageRequest,
  ExtendStatusPageRequest,
  PublicStatus,
  StatusPage,
} from '../../contract/status-pages-api.ts';
import type { Actor } from '../list-types.ts';

/** Methods for people throw INSTANCE_UNKNOWN; those of one page throw STATUS_PAGE_UNKNOWN too. */
export type StatusPagesService = {
  /** Newest first; ended ones are listed for 30 days. */
  list(instance: string): Promise<StatusPage[]>;
  /** The secret is returned only here. Throws STATUS_PAGE_INVALID. */
  create(
    instance: string,
    input: CreateStatusPageRequest,
    actor: Actor,
  ): Promise<{ readonly statusPage: StatusPage; readonly secret: string }>;
  /** Throws STATUS_PAGE_INVALID. */
  extend(instance: string, id: string, input: ExtendStatusPageRequest): Promise<StatusPage>;
  revoke(instance: string, id: string): Promise<StatusPage>;
  /** What the secret shows, at most a few seconds old; undefined for one that is unknown, revoked or has ended. */
  findPublic(secret: string): Promise<PublicStatus | undefined>;
};
