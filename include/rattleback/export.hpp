/* What of the library others may call. Its symbols are hidden but for the API: a public header opens its namespace with
   `namespace RATTLEBACK_API rattleback {`, which exports all that is declared in it. A C function is declared so by itself. */
#ifndef RATTLEBACK_EXPORT_HPP
#define RATTLEBACK_EXPORT_HPP

/* Marks what a shared library exports. */
#if defined(__cplusplus)
#define RATTLEBACK_API [[gnu::visibility("default")]]
#else
#define RATTLEBACK_API __attribute__((visibility("default")))
#endif

#endif
