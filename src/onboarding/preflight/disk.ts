import {
  checkFailed,
  checkPassed,
  checkSkipped,
  createProblem,
  mergeFindings,
  type SetupCheck,
  type SetupFindings,
} from '../checks/setup-check.ts';
import type { PreflightContext } from './context.ts';

const mebibyte = 1024 * 1024;
/** For the image, Prometheus and its first days of measurements. */
const requiredEngineBytes = 1024 * mebibyte;
/** For compose files, keys, the transcript. */
const requiredDataBytes = 64 * mebibyte;

type DiskContext = Pick<PreflightContext, 'platform' | 'readFreeBytes' | 'dataFolder'>;

/** Free space for images and volumes, and for the files of the product. */
export const diskCheck: SetupCheck<DiskContext> = {
  id: 'disk',
  title: 'disk space',
  async inspect(context) {
    const root = await context.platform.findStorageFolder();
    const data = checkFreeSpace(context, context.dataFolder, requiredDataBytes);
    return mergeFindings([
      root === undefined
        ? checkSkipped('not checked where the engine stores images: the folder is unknown')
        : await checkFreeSpace(context, root, requiredEngineBytes),
      await data,
    ]);
  },
};

async function checkFreeSpace(
  { readFreeBytes }: DiskContext,
  folder: string,
  requiredBytes: number,
): Promise<SetupFindings> {
  const free = await readFreeBytes(folder);
  if (free === undefined) return checkSkipped(`not checked at ${folder}: unknown on this platform`);
  if (free >= requiredBytes) return checkPassed(`${formatDiskSize(free)} free at ${folder}`);
  return checkFailed(
    createProblem('DISK_SHORT', { folder, free: formatDiskSize(free), needed: formatDiskSize(requiredBytes) }),
  );
}

/** `812 MiB`, `3.4 GiB`. */
export function formatDiskSize(bytes: number): string {
  const mebibytes = bytes / mebibyte;
  return mebibytes < 1024 ? `${Math.floor(mebibytes)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}
