import { type Check, type Findings, fine, problem, together } from './check.ts';
import type { PreflightContext } from './context.ts';

const mebibyte = 1024 * 1024;
/** The image, Prometheus and its first days of measurements. */
const engineNeedBytes = 1024 * mebibyte;
/** Compose files, keys, the transcript. */
const dataNeedBytes = 64 * mebibyte;

type Asked = Pick<PreflightContext, 'engine' | 'freeBytes' | 'dataFolder' | 'place'>;

/** Room where the engine keeps images and volumes, and where the product keeps its files. */
export const diskCheck: Check<Asked> = {
  id: 'disk',
  title: 'disk space',
  async look(context) {
    const root = await engineRoot(context);
    const data = room(context, context.dataFolder, dataNeedBytes);
    return together([root === undefined ? fine() : await room(context, root, engineNeedBytes), await data]);
  },
};

/** Undefined without an engine, or where its files lie in a machine of its own. */
async function engineRoot({ engine, place }: Asked): Promise<string | undefined> {
  if (place.platform !== 'linux') return undefined;
  const opened = await engine().catch(() => undefined);
  const format = opened?.facts.program === 'podman' ? '{{.Store.GraphRoot}}' : '{{.DockerRootDir}}';
  const root = (await opened?.output(['info', '--format', format]))?.trim();
  return root?.startsWith('/') ? root : undefined;
}

async function room({ freeBytes }: Asked, folder: string, needBytes: number): Promise<Findings> {
  const free = await freeBytes(folder);
  if (free === undefined) return fine(`${folder}: cannot be told here`);
  if (free >= needBytes) return fine(`${sizeText(free)} free at ${folder}`);
  return {
    facts: [],
    problems: [problem('DISK_SHORT', { folder, free: sizeText(free), needed: sizeText(needBytes) })],
  };
}

/** `812 MiB`, `3.4 GiB`. */
export function sizeText(bytes: number): string {
  const mebibytes = bytes / mebibyte;
  return mebibytes < 1024 ? `${Math.floor(mebibytes)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}
