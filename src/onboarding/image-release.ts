/** Releases by the tags of their images. */
import { parseImageTag } from '../containers/images.ts';
import { vpError } from '../errors/vp-error.ts';

/** The version of a release tag, `v<version>-slim`; undefined for any other tag. */
export function parseReleaseTag(tag: string | undefined): string | undefined {
  return /^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+?)?)-slim$/.exec(tag ?? '')?.[1];
}

/** The version that the image's tag names. Throws IMAGE_TAG_REFUSED. */
export function parseRelease(image: string): string {
  const tag = parseImageTag(image);
  const version = parseReleaseTag(tag);
  if (version !== undefined) return version;
  throw vpError('IMAGE_TAG_REFUSED', { image, tag: tag ?? 'a digest instead of a tag' });
}
