// SPDX-License-Identifier: Apache-2.0
declare module "worker:*" {
  const text: string;
  export default text;
}
declare module "*.css" {
  const text: string;
  export default text;
}
