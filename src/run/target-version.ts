/** Versions of a target, as a response header or a request names them. */

/** Printable ASCII without spaces around it. */
export const targetVersionPattern = '^[!-~](?:[ -~]*[!-~])?$';
export const maxTargetVersionLength = 100;

export function isTargetVersion(text: string): boolean {
  return text.length <= maxTargetVersionLength && new RegExp(targetVersionPattern).test(text);
}
