/** Errors of stores: SQLite files, their locks, keys and copies. */

import { exitCode } from './exit-code.ts';
import { conflict, invalid, localFailure, notFound, notReady, warning, withStatus } from './row.ts';

export const storeErrors = {
  STORE_UNWRITABLE: localFailure(
    'the store {{file}} cannot be opened for writing',
    'check that the folder exists and that this user may write there, or name another with --data',
  ),
  STORE_CORRUPT: localFailure(
    'the store {{file}} is damaged or is not a store',
    'restore the last backup with `vp restore <file>`, or move the file away to start with an empty store',
  ),
  STORE_DAMAGED: localFailure(
    'the store {{file}} is damaged: {{problem}}',
    'restore the last backup with `vp restore <file>`, or move the file away to start with an empty store; then check the disk',
  ),
  STORE_WENT_BACK: localFailure(
    'the store {{file}} has lost the last {{lost}} of {{known}} acknowledged changes: its write-ahead log is gone or damaged, or it is an older copy',
    'put the newer file (or its -wal) back, restore the last backup with `vp restore <file>`, or continue without them with `vp accept-loss`',
  ),
  STORE_LOST: localFailure(
    'the store {{file}} is {{problem}}, although {{companion}} shows that there was one',
    'put it back, restore the last backup with `vp restore <file>`, or start with an empty store with `vp accept-loss`',
  ),
  STORE_FOREIGN: localFailure(
    '{{file}} is a database of another program',
    'name the folder of a vp store with --data; this file was left untouched',
  ),
  STORE_NEWER: localFailure(
    'the store {{file}} was written by a newer version (schema {{found}}, this version knows {{known}})',
    'start the newer vp, or restore a backup that this version created',
  ),
  STORE_OUTDATED: conflict(
    'the store {{file}} is of an earlier version (schema {{found}}, this version needs {{known}})',
    'run `vp migrate`: it brings the stores to this version',
  ),
  STORE_COPY_DIFFERENT: localFailure(
    'the copy of the table {{table}} differs from its source: {{found}} rows instead of {{expected}}, or other values',
    'the copy was taken back and the source is unchanged: check the disks of both, then try again',
  ),
  STORE_COPY_INCOMPLETE: conflict(
    'a copy into {{target}} was interrupted, or is still being made: what is there is not complete',
    'repeat the move or restore that was interrupted, then start again; the source of the copy is unchanged',
  ),
  STORE_FOLDER_NOT_EMPTY: conflict(
    'the data folder {{folder}} already has a store: {{file}}',
    'name another folder with --data, or move its stores away; nothing was changed',
  ),
  STORE_COPY_AUDIT_FAULT: conflict(
    'the audit log of the hub {{hub}} does not verify: {{problem}}',
    'nothing was copied: find out what happened to it with `vp audit verify`, and restore it from a backup',
  ),
  STORE_IN_USE: withStatus(409, exitCode.notReady)(
    'the data folder {{folder}} is in use by another vp{{holder}}',
    'stop it first, or give this one a folder of its own with --data',
  ),
  STORE_DISK_FULL: withStatus(507, exitCode.broken)(
    'the disk of the store {{file}} is full; nothing of this request was stored',
    'free space there, then try again; what was acknowledged before is safe',
  ),
  STORE_UNUSABLE: notReady(
    'the store {{file}} does not answer',
    'see the log for the message of the operating system; the store itself was not changed',
  ),
  STORE_LOG_NOT_MOVED: warning(
    'the thread that moves the write-ahead log of {{file}} into the file has failed',
    'nothing is lost: commits move the log themselves, which delays a call now and then; the next start tries the thread again',
  ),
  STORE_ADDON_UNAVAILABLE: localFailure(
    'SQLite cannot be loaded from {{folder}}',
    'set XDG_CACHE_HOME to a folder that only this user may write, on a disk that allows programs to run',
  ),
  STORE_NOT_ACTIVE: notReady(
    'another replica has become the active one; nothing of this request was stored',
    'send the request again: it reaches the active replica',
  ),
  STORE_OUTCOME_UNKNOWN: notReady(
    'the connection to PostgreSQL was lost during a commit, and whether it happened cannot be learned',
    'look whether the change is there before you make it again',
  ),
  STORE_CLOSED: notReady('the store is closed because the process is stopping', 'try again when it is back'),
  STORE_KEY_MISSING: localFailure(
    'the store in {{folder}} holds sealed data, but its master key is missing',
    'put master.key back into the folder, or set VP_MASTER_KEY; without it nothing sealed can be read',
  ),
  STORE_KEY_WRONG: localFailure(
    'the master key does not open the store in {{folder}}',
    'use the master.key that belongs to this store',
  ),
  STORE_KEY_EXPOSED: localFailure(
    'the key file {{file}} can be read by other users',
    'run `chmod 600 {{file}}`, and rotate the key if anyone else may have read it',
  ),
  STORE_KEY_UNREADABLE: localFailure(
    'the key file {{file}} cannot be read: {{reason}}',
    'check that it is a file that this user may read, and that its folder is there',
  ),
  STORE_KEY_UNWRITABLE: localFailure(
    'the key file {{file}} cannot be written: {{reason}}',
    'check that its folder exists and that this user may write there',
  ),
  STORE_KEY_INVALID: invalid(
    '{{source}} is not a master key',
    'a master key is 32 bytes in base64, for example from `openssl rand -base64 32`',
  ),
  STORE_ABSENT: notFound('there is no store {{file}}', 'name the data folder of the control plane with --data'),
  BACKUP_EXISTS: conflict('{{file}} exists', 'name a new file; a backup never overwrites anything'),
  BACKUP_FOLDER_MISSING: notFound(
    'there is no folder {{folder}} for the backup',
    'create it: `mkdir -p {{folder}}`, or name a file in another folder',
  ),
  BACKUP_DAMAGED: invalid(
    'the backup {{file}} is damaged: {{problem}}',
    'nothing was changed: restore an earlier backup, or another copy of this one',
  ),
  BACKUP_KEY_MISSING: invalid(
    'the backup needs the master key of its control plane, and there is no {{file}}',
    'nothing was changed: copy master.key of that control plane there (mode 0600), or set VP_MASTER_KEY, and restore again',
  ),
  BACKUP_KEY_WRONG: invalid(
    '{{source}} is not the master key of the backup',
    'nothing was changed: use the master key of the control plane that was backed up, and restore again',
  ),
  RESTORE_INCOMPLETE: withStatus(409, exitCode.notReady)(
    'a restore into {{folder}} was interrupted',
    'run `vp restore <file>` again, or start `vp serve`: both complete it',
  ),
  BACKUP_UNUSABLE: invalid(
    '{{file}} is not a backup of a control plane: {{problem}}',
    'name a file created by `vp backup <file>`',
  ),
} as const;
