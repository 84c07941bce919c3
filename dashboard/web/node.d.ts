/** What the build uses of Node's own modules. */
declare module "node:crypto" {
  export function createHash(name: "sha256"): { update(text: string): { digest(encoding: "base64"): string } };
}
