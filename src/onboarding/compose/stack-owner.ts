/**
 * Who has started a stack that all instances of a machine share: compose labels its containers with the folder of its compose file,
 * which is in the data folder of one user. Another user joins the stack and never rewrites it, because its keys are the owner's.
 */
import { stat } from 'node:fs/promises';
import type { ContainerInfo } from '../../containers/containers.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';

/** The folder of the owner's compose file; undefined where the stack is that of `folder`, or its owner's files are gone. */
export async function findForeignOwner(
  containers: readonly ContainerInfo[],
  folder: string,
): Promise<string | undefined> {
  const foreignFolder = containers.find((container) => container.folder !== '' && container.folder !== folder)?.folder;
  if (foreignFolder === undefined) return undefined;
  const isGone = await stat(foreignFolder).then(
    () => false,
    // A folder of another user may be unreadable, and exists then.
    (error: unknown) => getSystemErrorCode(error) === 'ENOENT',
  );
  return isGone ? undefined : foreignFolder;
}
