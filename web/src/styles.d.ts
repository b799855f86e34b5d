declare module "*.css"; // style sheets are bundled beside the script
