/** The bytes of a file, or of a part of one, as JSON has them. */
export function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).replace(/^.*?,/, ""));
    reader.onerror = () => reject(new Error("the file cannot be read: choose it again"));
    reader.readAsDataURL(blob);
  });
}
